"use strict";
const MOST = 50;
const box = document.getElementById("wanted");
const found = document.getElementById("found");
const said = document.getElementById("said");
const rows = [...document.querySelectorAll("#listed tbody tr")];
const addresses = rows.map(row => {
  const link = row.querySelector("a");
  return (link ? link.getAttribute("href") : row.cells[0].textContent).toLowerCase();
});
const search = () => {
  const wanted = box.value.trim().toLowerCase();
  const hits = wanted ? rows.filter((_, number) => addresses[number].includes(wanted)) : [];
  found.tBodies[0].replaceChildren(...hits.slice(0, MOST).map(row => row.cloneNode(true)));
  found.hidden = !hits.length;
  said.textContent = !wanted ? "" : `${hits.length} of the listed pages` + (hits.length > MOST ? `; the first ${MOST}` : "");
};
if (box) {
  document.getElementById("search").hidden = false;
  box.addEventListener("input", search);
  search();
}
for (const frame of document.querySelectorAll(".frame")) {
  frame.addEventListener("click", () => { frame.previousElementSibling.open = true; });
}
