"use strict";
(() => {
  const rows = [...document.querySelectorAll("tr.case")];
  const buttons = [...document.querySelectorAll("nav button")];
  const search = document.querySelector("nav input");
  const count = document.querySelector("nav output");
  const isPressed = (button) => button.getAttribute("aria-pressed") === "true";
  const detailOf = (row) => row.nextElementSibling;

  const open = (row, isOpen) => {
    const detail = detailOf(row);
    detail.hidden = !isOpen;
    row.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen || detail.firstElementChild.childElementCount) return;
    detail.firstElementChild.append(detail.querySelector("template").content.cloneNode(true));
  };

  const update = () => {
    const wanted = buttons.filter(isPressed).map((button) => button.value);
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      const fits = (!wanted.length || wanted.includes(row.dataset.outcome)) && words.every((word) => text.includes(word));
      row.hidden = !fits;
      if (!fits) open(row, false);
      shown += fits;
    }
    count.textContent = `${shown} of ${rows.length}`;
  };

  for (const button of buttons) {
    button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", String(!isPressed(button)));
      update();
    });
  }
  search.addEventListener("input", update);
  for (const row of rows) row.addEventListener("click", () => open(row, detailOf(row).hidden));

  const step = (by) => {
    const visible = rows.filter((row) => !row.hidden);
    const at = visible.indexOf(document.activeElement);
    const next = visible[Math.min(Math.max(at + by, 0), visible.length - 1)];
    if (next) next.focus();
  };
  document.addEventListener("keydown", (event) => {
    if (event.target === search) {
      if (event.key === "Escape") search.blur();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      j: () => step(1),
      k: () => step(-1),
      f: () => buttons.forEach((button) => button.value === "failed" && button.click()),
      "/": () => search.focus(),
      Enter: () => rows.includes(document.activeElement) && document.activeElement.click(),
    };
    if (event.key in keys) {
      event.preventDefault();
      keys[event.key]();
    }
  });
  update();
})();
