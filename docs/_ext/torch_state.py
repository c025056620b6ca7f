"""Put torch, NumPy, TensorFlow and ``random`` back to the state of a fresh interpreter.

Pages share one process in the doctest builder, and scripts share one in the gallery. Without
this, a page that sets a default dtype would change what the next page prints, and the order
of the pages would decide which of them passes.
"""

import os
import random
import sys

THREADS = None
ENVIRONMENT = dict(os.environ)


def reset() -> None:
    """Undo what a page or a script may have changed for the whole process.

    Reset are: default dtype and device, grad mode, print options, deterministic algorithms,
    anomaly mode, matmul precision, number of threads, environment variables, seeds (all 0), an open
    process group, and TensorFlow's default graph where TensorFlow has been imported.
    """
    global THREADS
    import numpy
    import torch

    # Imported later, inside DDP, its functions would keep the page's process group and gloo's threads alive after
    # destroy_process_group(), and the process could abort at its end: https://github.com/pytorch/pytorch/pull/179291
    import torch.distributed.nn

    if THREADS is None:
        THREADS = torch.get_num_threads()
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)
    torch.set_grad_enabled(True)
    torch.set_printoptions(profile="default")
    torch.use_deterministic_algorithms(False)
    torch.set_float32_matmul_precision("highest")
    torch.autograd.set_detect_anomaly(False)
    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    numpy.random.seed(0)
    random.seed(0)
    if tensorflow := sys.modules.get("tensorflow"):
        tensorflow.compat.v1.reset_default_graph()
        tensorflow.random.set_seed(0)
    for name in os.environ.keys() - ENVIRONMENT.keys():
        del os.environ[name]
    os.environ.update(ENVIRONMENT)
