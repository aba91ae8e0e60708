"""Stands in for SGLang's kernel package on a CPU, where the packaged one is for CUDA: see README.md beside it.

One operator is called in the model path; the others (speculative decoding) only have to be importable.
"""


def assign_req_to_token_pool_cpu(req_pool_indices, req_to_token, start, end, out_cache_loc, pool_len):
    """Write the cache locations of each request's new tokens into its row, from `start` to `end`."""
    taken = 0
    for row, first, last in zip(req_pool_indices.tolist(), start.tolist(), end.tolist(), strict=True):
        req_to_token[row, first:last] = out_cache_loc[taken : taken + last - first].to(req_to_token.dtype)
        taken += last - first


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)

    def missing(*arguments, **named):
        raise NotImplementedError(f"sgl_kernel.{name} is not there on a CPU")

    return missing
