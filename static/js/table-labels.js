/* On a phone a table is a list (css/phone.css): each cell then says its column, which stands over it elsewhere. */

function label(table) {
  const heads = [...(table.tHead?.rows ?? [])].at(-1)?.cells ?? [];
  const names = [...heads].flatMap((head) => Array(head.colSpan).fill(head.matches("th") ? head.textContent.trim() : ""));
  for (const row of [...table.tBodies].flatMap((body) => [...body.rows])) {
    let column = 0;
    for (const cell of row.cells) {
      if (cell.colSpan === 1 && names[column] && !cell.dataset.label) cell.dataset.label = names[column];
      column += cell.colSpan;
    }
  }
}

function labelTables(root = document) {
  for (const table of root.querySelectorAll(".wide > table")) label(table);
}

labelTables();
addEventListener("screen:applied", () => labelTables());
