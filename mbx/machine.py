"""What mbx runs on: the kernel in use, the machine and the versions, for reports of speed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import _core
from .tables import html_table
from .work import count_cores


@dataclass(frozen=True)
class Info:
    """The result of `info`.

    kernel             the playout kernel in use; the environment variable MBX_KERNEL forces one
    kernels            those that this machine can run, the slowest first
    instruction_sets   the machine's, as far as kernels depend on them
    compiler           that built the core
    version            of mbx
    stream             the number of the definition of the stream of playouts (`mbx.STREAM`)
    python, numpy      versions
    processor          its name, as far as the system tells
    cores              that the process may use
    """

    kernel: str
    kernels: tuple[str, ...]
    instruction_sets: tuple[str, ...]
    compiler: str
    version: str
    stream: int
    python: str
    numpy: str
    processor: str
    cores: int

    def _rows(self) -> list[list[str]]:
        return [
            ["mbx", f"{self.version}, stream {self.stream}"],
            ["kernel", self.kernel],
            ["kernels", ", ".join(self.kernels)],
            ["instruction sets", ", ".join(self.instruction_sets) or "none"],
            ["compiler", self.compiler],
            ["Python", self.python],
            ["NumPy", self.numpy],
            ["processor", self.processor],
            ["cores", str(self.cores)],
        ]

    def __str__(self) -> str:
        return "\n".join(f"{name:<18}{value}" for name, value in self._rows())

    def _repr_html_(self) -> str:
        return html_table("mbx", self._rows())


def info() -> Info:
    """What mbx runs on: kernels, instruction sets, compiler, versions, processor, cores.

    print() shows it as lines; a notebook shows a table.

    >>> import mbx
    >>> mbx.info().kernel in mbx.info().kernels
    True
    """
    import platform

    return Info(
        kernel=_core.KERNEL,
        kernels=_core.KERNELS,
        instruction_sets=_core.INSTRUCTION_SETS,
        compiler=_core.COMPILER,
        version=_core.__version__,
        stream=_core.STREAM,
        python=f"{platform.python_implementation()} {platform.python_version()}",
        numpy=np.__version__,
        processor=_processor(),
        cores=count_cores(),
    )


def _processor() -> str:
    """The name of the processor: Linux tells it in a file, other systems by platform."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                name, _, value = line.partition(":")
                if name.strip() == "model name":
                    return value.strip()
    except OSError:
        pass
    import platform

    return platform.processor() or platform.machine()
