# SPDX-License-Identifier: Apache-2.0
"""`gradproof check --python --device cuda`: right candidates on a GPU pass, work that is left behind is seen; what is said without one."""
import re

import pytest
import torch

from trial_support import check, counts
from on_device import CANDIDATES, HEAD


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("name", CANDIDATES)
def test_a_candidate_on_the_device(tmp_path, name):
    text, wanted, says = CANDIDATES[name]
    said, code = check(tmp_path, HEAD + text, "--device", "cuda")
    print(said)
    assert code == wanted and re.search(says, said), said


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_the_default_stream_may_be_where_launches_belong(tmp_path):
    said, code = check(tmp_path, HEAD + CANDIDATES["begun_on_the_default_stream"][0], "--device", "cuda", "--stream", "default")
    assert code == 0 and "default stream" not in said, said


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_without_a_device(tmp_path):
    said, code = check(tmp_path, "from reference import Model\nclass ModelNew(Model):\n    pass\n", "--device", "cuda")
    assert code == 4 and "there is no CUDA device" in said and counts(said)["skipped"] == 1, said
