"""TEXT-MDL and its MinHash form: pages clustered so that their description by templates is shortest.

Source: Prathibha, Sukumar, Sriram (IJERT 2012) after Kim & Shim (TKDE 2011); see
``templcrawl.algorithms.description_length.text_mdl`` and ``mdl_minhash``.  Neither has a threshold.

Cost: TEXT-MDL O(n^2 G + n^3), so only a sample of the pages is put before it; the MinHash form O(n^2 K).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from templcrawl import Page
from templcrawl.algorithms.description_length.mdl_minhash import mdl_minhash
from templcrawl.algorithms.description_length.text_mdl import essential_paths, page_paths, text_mdl
from templcrawl.page.arrays import Keys


@dataclass(frozen=True)
class ByDescriptionLength:
    """A clustering of the essential paths of pages."""

    name: str
    of_essential: Callable[[Sequence[Keys]], list[int]]
    is_slow: bool = False

    def features(self, page: Page) -> Keys:
        """Return the paths of a page."""
        return page_paths(page)

    def cluster(self, features: Sequence[Keys]) -> list[int]:
        """Return the cluster of each page."""
        return self.of_essential(essential_paths(features))


TEXT_MDL = ByDescriptionLength("TEXT-MDL", text_mdl, is_slow=True)
MDL_MINHASH = ByDescriptionLength("MDL MinHash", mdl_minhash)
