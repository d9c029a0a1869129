"""Builds mbx._core.  Everything else stands in pyproject.toml.

Environment variables, each for one kind of build:

    MBX_DEBUG=1                       assertions and from-scratch checks, no optimisation
    MBX_SANITIZE=address,undefined    the sanitizers of GCC or Clang
    MBX_COVERAGE=1                    line coverage of the C code (gcov)
    MBX_WERROR=1                      compiler warnings are errors
"""

import os
import platform
import re
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def files(pattern: str) -> list[str]:
    """The files below the root that match, as setuptools wants them: relative, with slashes."""
    return sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern))


def unix_flags() -> tuple[list[str], list[str]]:
    """Flags of GCC and Clang for compiling and for linking."""
    compile_flags = ["-std=c11", "-Wall", "-Wextra", "-fvisibility=hidden", "-ffp-contract=off"]
    link_flags: list[str] = []
    if os.environ.get("MBX_WERROR"):
        compile_flags.append("-Werror")
    if os.environ.get("MBX_DEBUG"):
        compile_flags += ["-O0", "-g3", "-DMBX_DEBUG", "-UNDEBUG"]
    else:
        compile_flags += ["-O3", "-g0"]
    if sanitizers := os.environ.get("MBX_SANITIZE"):
        compile_flags += [f"-fsanitize={sanitizers}", "-fno-sanitize-recover=all"]
        compile_flags += ["-fno-omit-frame-pointer", "-fno-wrapv", "-g"]
        link_flags += [f"-fsanitize={sanitizers}"]
    if os.environ.get("MBX_COVERAGE"):
        compile_flags += ["--coverage", "-O0"]
        link_flags += ["--coverage"]
    return compile_flags, link_flags


def kernel_flags(source: str) -> list[str]:
    """What the head of a kernel's source asks for, on the machines that have the instructions."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return []
    found = re.search(r"^ \* flags: (.*)$", Path(source).read_text(encoding="utf-8"), re.MULTILINE)
    return found[1].split() if found else []


def with_kernel_flags(compile_one: Callable[..., None]) -> Callable[..., None]:
    """The compiler's step for one source, with the flags of that source."""

    def compile_with_flags(obj: str, source: str, *rest: Any) -> None:
        ext, cc_args, extra, pp_opts = rest
        compile_one(obj, source, ext, cc_args, [*extra, *kernel_flags(source)], pp_opts)

    return compile_with_flags


def in_parallel(compile_all: Callable[..., list[str]]) -> Callable[..., list[str]]:
    """The compiler's step for all sources, each in a thread of its own."""

    def compile_in_threads(sources: list[str], **options: Any) -> list[str]:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = pool.map(lambda source: compile_all([source], **options), sources)
            return [name for names in objects for name in names]

    return compile_in_threads


class BuildCore(build_ext):
    """build_ext with the flags of the compiler; it always builds anew, for flags may differ."""

    def finalize_options(self) -> None:
        """Never take what an earlier build with other flags left."""
        super().finalize_options()
        self.force = True

    def build_extension(self, ext: Extension) -> None:
        """Build with the flags of the compiler at hand and of each kernel."""
        if self.compiler.compiler_type == "msvc":
            ext.extra_compile_args = ["/std:c11", "/O2", "/W3"]
        else:
            ext.extra_compile_args, ext.extra_link_args = unix_flags()
            self.compiler._compile = with_kernel_flags(self.compiler._compile)
            self.compiler.compile = in_parallel(self.compiler.compile)
        super().build_extension(ext)


setup(
    ext_modules=[
        Extension(
            "mbx._core",
            sources=files("csrc/core/*.c") + files("csrc/kernel/*.c") + files("csrc/py/*.c"),
            depends=files("csrc/**/*.h"),
            include_dirs=[numpy.get_include()],
            define_macros=[("MBX_VERSION", f'"{VERSION}"')],
        )
    ],
    cmdclass={"build_ext": BuildCore},
)
