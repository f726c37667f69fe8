"""The methods that are compared, in the order of the paper's Table 2.

To add a clustering, write an object of the shape ``Method`` (name, is_slow, features, cluster) and add it
to ``METHODS``; one that has ``judge`` too (``Classifier``) is in the table of classification as well.
"""

from __future__ import annotations

from benchmarks.structure.cp import CP
from benchmarks.structure.cps import CPS
from benchmarks.structure.ctss import CTSS
from benchmarks.structure.fp import FP
from benchmarks.structure.lcts import LCTS
from benchmarks.structure.md5 import MD5
from benchmarks.structure.mdh5 import MDH5
from benchmarks.structure.rtdm import RTDM
from benchmarks.structure.shape import Method
from benchmarks.structure.structural import STRUCTURAL
from benchmarks.structure.text_mdl import MDL_MINHASH, TEXT_MDL
from benchmarks.structure.tv import TV

BASELINES: tuple[Method, ...] = (FP, RTDM, LCTS, TV, CP, CPS, CTSS, MD5, MDH5)
BY_DESCRIPTION: tuple[Method, ...] = (TEXT_MDL, MDL_MINHASH)
METHODS: tuple[Method, ...] = (STRUCTURAL, *BASELINES, *BY_DESCRIPTION)
