"""How much memory is there, for jobs to be refused before they take any."""

from __future__ import annotations


def available_bytes() -> int:
    """Memory that could be taken now, as far as the system tells."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            return int(file.read().split("MemAvailable:")[1].split()[0]) * 1024
    except (OSError, IndexError, ValueError):
        return 4 * 2**30
