const CONTROLS = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'
const MARGIN_PX = 12
const STEP_PX = 16

/** Returns the position nearest the lower right corner where the element covers no control, if any. */
export function findFreePlace(element: HTMLElement): { x: number; y: number } | undefined {
  const { width, height } = element.getBoundingClientRect()
  const taken = [...document.querySelectorAll(CONTROLS)]
    .filter((control) => !element.contains(control))
    .map((control) => control.getBoundingClientRect())
    .filter((box) => box.width > 0 && box.bottom > 0 && box.top < innerHeight)
  const isFree = (x: number, y: number): boolean =>
    taken.every((box) => box.right <= x || box.left >= x + width || box.bottom <= y || box.top >= y + height)
  const right = innerWidth - width - MARGIN_PX
  for (let y = innerHeight - height - MARGIN_PX; y >= MARGIN_PX; y -= STEP_PX) {
    for (let x = right; x >= Math.min(MARGIN_PX, right); x -= STEP_PX) if (isFree(x, y)) return { x, y }
  }
  return undefined
}
