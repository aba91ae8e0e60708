"""The embedded model's weights in the form that SGLang loads; run it with the Python of SGLang's environment.

    python weights.py SmolLM2-135M-Instruct.Q4_1.gguf FOLDER

The quantised weights become float32 (540 MB in memory and on disk), tokenizer and chat template come along.
"""

import sys
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


def main() -> None:
    source, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    loaded = AutoModelForCausalLM.from_pretrained(source.parent, gguf_file=source.name, dtype=torch.float32)
    config = loaded.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config  # what was loaded refuses to be saved as quantised
    plain = type(loaded)(config).to(torch.float32)
    plain.load_state_dict(loaded.state_dict())
    plain.save_pretrained(folder)
    AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name).save_pretrained(folder)


if __name__ == "__main__":
    main()
