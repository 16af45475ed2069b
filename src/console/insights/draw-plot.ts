import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

export interface PlotData {
  /** `YYYY-MM-DD`, one after the other. */
  days: readonly string[]
  values: readonly (number | undefined)[]
  /** Of the window before, day by day; undefined while they are not read. */
  before: readonly (number | undefined)[] | undefined
}

interface PlotOptions {
  formatDay: (ms: number) => string
  formatValue: (value: number) => string
  /** The day under the pointer, by its place; undefined when there is none. */
  onPoint: (index: number | undefined) => void
}

const HEIGHT = 260
const DAY_SECONDS = 86_400

/** Draws into the element, as wide as it is; gives what takes the plot away again. */
export function drawPlot(
  element: HTMLElement,
  data: PlotData,
  { formatDay, formatValue, onPoint }: PlotOptions,
): () => void {
  const style = getComputedStyle(element)
  const color = (name: string): string => style.getPropertyValue(name).trim()
  const axis = {
    stroke: color('--quiet'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: `12px ${style.fontFamily}`,
  }
  const plot = new UPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      scales: {
        x: { time: false },
        // From nothing on: a plot that begins elsewhere makes little look like much.
        y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
      },
      axes: [
        {
          ...axis,
          space: 64,
          incrs: [1, 2, 7, 14, 28].map((days) => days * DAY_SECONDS),
          values: (_plot, splits) => splits.map((seconds) => formatDay(seconds * 1000)),
        },
        { ...axis, size: 72, values: (_plot, splits) => splits.map(formatValue) },
      ],
      series: [
        {},
        { stroke: color('--accent'), width: 2.5, points: { show: data.days.length <= 31, size: 6 } },
        { stroke: color('--quiet'), width: 1.5, dash: [5, 5], points: { show: false } },
      ],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
    },
    [
      data.days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1000),
      data.values.map((value) => value ?? null),
      data.days.map((_, index) => data.before?.[index] ?? null),
    ],
    element,
  )
  const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
  observer.observe(element)
  return () => {
    observer.disconnect()
    plot.destroy()
  }
}
