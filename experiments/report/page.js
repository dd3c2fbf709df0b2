// The page: figures are drawn when they come into sight, tables sort, claims filter by verdict.
"use strict";

// A figure's numbers are read when it is about to be seen, so that a page of a hundred figures opens at once.
function drawFigure(holder) {
  if (holder.chart) return;
  holder.chart = new Chart(holder, JSON.parse(holder.querySelector("script").textContent));
}

function watchFigures() {
  const observer = new IntersectionObserver(entries => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      drawFigure(target);
    }
  }, { rootMargin: "600px" });
  for (const holder of document.querySelectorAll(".chart")) observer.observe(holder);
}

function cellValue(row, column) {
  return row.cells[column].textContent.replace(/[\s\u202f]+(?=\d{3})/g, "").trim(); // 12 000 is a number
}

// Numbers by size and before words; what is not there comes last.
function compareCells(a, b) {
  if (a === "" || b === "") return (a === "") - (b === "");
  const [x, y] = [Number(a), Number(b)];
  const numbers = [Number.isNaN(x), Number.isNaN(y)];
  if (numbers[0] || numbers[1]) return numbers[0] - numbers[1] || a.localeCompare(b);
  return x - y;
}

function sortTable(table, column, header) {
  const descending = header.getAttribute("aria-sort") === "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => {
    const [x, y] = [cellValue(a, column), cellValue(b, column)];
    return descending && x !== "" && y !== "" ? compareCells(y, x) : compareCells(x, y);
  });
  table.tBodies[0].append(...rows);
}

function makeSortable() {
  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      const button = html("button", { type: "button" }, ...header.childNodes);
      button.addEventListener("click", () => sortTable(table, column, header));
      header.replaceChildren(button);
    });
  }
}

// Buttons that leave only the claims of one verdict in the list of all.
function makeFilters() {
  for (const list of document.querySelectorAll("[data-filters]")) {
    const all = document.getElementById(list.dataset.filters);
    const buttons = [...list.querySelectorAll("button")];
    for (const button of buttons) {
      button.addEventListener("click", () => {
        const chosen = button.getAttribute("aria-pressed") === "true" ? "" : button.value;
        for (const other of buttons) other.setAttribute("aria-pressed", String(chosen !== "" && other === button));
        for (const item of all.children) item.hidden = chosen !== "" && item.dataset.kind !== chosen;
        all.closest("details").open = true;
      });
    }
  }
}

watchFigures();
makeSortable();
makeFilters();
