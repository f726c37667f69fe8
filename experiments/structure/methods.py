"""The methods that are compared, in the order of the paper's Table 2.

To add a clustering, write an object of the shape ``Method`` (name, is_slow, features, cluster) and add it
to ``METHODS``; one that has ``judge`` too (``Classifier``) is in the table of classification as well.
"""

from __future__ import annotations

from experiments.structure.cp import CP
from experiments.structure.cps import CPS
from experiments.structure.ctss import CTSS
from experiments.structure.fp import FP
from experiments.structure.lcts import LCTS
from experiments.structure.md5 import MD5
from experiments.structure.mdh5 import MDH5
from experiments.structure.rtdm import RTDM
from experiments.structure.shape import Method
from experiments.structure.structural import STRUCTURAL
from experiments.structure.text_mdl import MDL_MINHASH, TEXT_MDL
from experiments.structure.tv import TV

BASELINES: tuple[Method, ...] = (FP, RTDM, LCTS, TV, CP, CPS, CTSS, MD5, MDH5)
BY_DESCRIPTION: tuple[Method, ...] = (TEXT_MDL, MDL_MINHASH)
METHODS: tuple[Method, ...] = (STRUCTURAL, *BASELINES, *BY_DESCRIPTION)
