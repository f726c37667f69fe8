"""The methods that are compared, in the order of the paper's Table 2.

To add a clustering, write an object of the shape ``Method`` (name, is_slow, features, cluster) and add it
to ``METHODS``; one that has ``judge`` too (``Classifier``) is in the table of classification as well.
"""

from __future__ import annotations

from lab.papers.structure.cp import CP
from lab.papers.structure.cps import CPS
from lab.papers.structure.ctss import CTSS
from lab.papers.structure.fp import FP
from lab.papers.structure.lcts import LCTS
from lab.papers.structure.md5 import MD5
from lab.papers.structure.mdh5 import MDH5
from lab.papers.structure.rtdm import RTDM
from lab.papers.structure.shape import Method
from lab.papers.structure.structural import STRUCTURAL
from lab.papers.structure.text_mdl import MDL_MINHASH, TEXT_MDL
from lab.papers.structure.tv import TV

BASELINES: tuple[Method, ...] = (FP, RTDM, LCTS, TV, CP, CPS, CTSS, MD5, MDH5)
BY_DESCRIPTION: tuple[Method, ...] = (TEXT_MDL, MDL_MINHASH)
METHODS: tuple[Method, ...] = (STRUCTURAL, *BASELINES, *BY_DESCRIPTION)
