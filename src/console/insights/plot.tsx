import { useEffect, useRef, useState } from 'preact/hooks'
import { formatDay } from '../times.ts'
import { insights as words } from '../words.ts'

interface PlotData {
  /** `YYYY-MM-DD`, in order. */
  days: readonly string[]
  values: readonly (number | undefined)[]
  /** The values of the compared window, day by day; undefined until it has been read. */
  before: readonly (number | undefined)[] | undefined
  /** The compared window's name. */
  beforeName: string
}

const HEIGHT = 260
/** The margins of the plot; the days are in the bottom one. */
const AREA = { right: 12, top: 8, bottom: 24 }
/** The maximum width of a character beside the axis. */
const CHARACTER_PX = 7.5
const DAY_WIDTH_MIN = 64
const POINTS_SHOWN_MAX = 31

interface PlotProps {
  data: PlotData
  formatValue: (value: number | undefined) => string
  /** Formats the axis values, which are `step` apart. */
  formatTick: (value: number, step: number) => string
}

/** Plots a metric by day, with the compared window dashed. The table next to it has the same numbers. */
export function Plot({ data, formatValue, formatTick }: PlotProps) {
  const { days, values, before, beforeName } = data
  const element = useRef<HTMLDivElement>(null)
  const width = useWidth(element)
  const [point, setPoint] = useState<number>()
  const ticks = ticksUpTo(Math.max(0, ...[...values, ...(before ?? [])].map((value) => value ?? 0)))
  const names = ticks.map((tick) => formatTick(tick, ticks[1]!))
  /** The values are to the left of the plot. */
  const left = 12 + CHARACTER_PX * Math.max(...names.map((name) => name.length))
  const inner = Math.max(1, width - left - AREA.right)
  const step = inner / Math.max(1, days.length - 1)
  const x = (index: number): number => left + (days.length === 1 ? inner / 2 : index * step)
  const bottom = HEIGHT - AREA.bottom
  // Starts at zero: any other baseline exaggerates small differences.
  const y = (value: number): number => bottom - (value / ticks.at(-1)!) * (bottom - AREA.top)
  const every = [1, 2, 7, 14, 28].find((each) => each * step >= DAY_WIDTH_MIN) ?? 56
  const day = point === undefined ? undefined : days[point]
  return (
    <figure class="plot" aria-hidden="true">
      <figcaption class="plot-legend small-text">
        <span class="plot-now">{words.thisWindow}</span>
        {before !== undefined && <span class="plot-before">{beforeName}</span>}
        <span class="quiet plot-point">
          {day !== undefined &&
            words.point({
              day: formatDay(day, 'weekDate'),
              value: formatValue(values[point!]),
              before: before === undefined ? undefined : formatValue(before[point!]),
            })}
        </span>
      </figcaption>
      <div ref={element} class="plot-canvas">
        <svg
          aria-hidden="true"
          width={width}
          height={HEIGHT}
          onPointerMove={({ currentTarget, clientX }) => {
            const at = clientX - currentTarget.getBoundingClientRect().left - left
            setPoint(Math.max(0, Math.min(days.length - 1, Math.round(at / step))))
          }}
          onPointerLeave={() => setPoint(undefined)}
        >
          {ticks.map((tick, index) => (
            <g key={tick}>
              <line class="plot-grid" x1={left} x2={width - AREA.right} y1={y(tick)} y2={y(tick)} />
              <text x={left - 8} y={y(tick) + 4} text-anchor="end">
                {names[index]}
              </text>
            </g>
          ))}
          {days.map((one, index) =>
            index % every === 0 ? (
              <text
                key={one}
                x={x(index)}
                y={HEIGHT - 6}
                text-anchor={x(index) > width - DAY_WIDTH_MIN / 2 ? 'end' : 'middle'}
              >
                {formatDay(one, 'dayMonth')}
              </text>
            ) : null,
          )}
          {day !== undefined && <line class="plot-grid" x1={x(point!)} x2={x(point!)} y1={AREA.top} y2={bottom} />}
          {before !== undefined && <path class="plot-line-before" d={toPath(before.slice(0, days.length), x, y)} />}
          <path class="plot-line" d={toPath(values, x, y)} />
          {values.map((value, index) =>
            value !== undefined && (index === point || values.length <= POINTS_SHOWN_MAX) ? (
              <circle key={days[index]} class="plot-dot" cx={x(index)} cy={y(value)} r={index === point ? 5 : 3} />
            ) : null,
          )}
        </svg>
      </div>
    </figure>
  )
}

/** Returns the element's width in pixels, 0 until it is rendered. */
function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)))
    observer.observe(element.current!)
    return () => observer.disconnect()
  }, [])
  return width
}

/** Returns ticks from 0 in steps of 1, 2 or 5 times a power of ten, up to at least `max`. */
function ticksUpTo(max: number): number[] {
  if (max <= 0) return [0, 1]
  const power = 10 ** Math.floor(Math.log10(max / 3))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => max / each <= 5)!
  return Array.from({ length: Math.ceil(max / step) + 1 }, (_, index) => index * step)
}

/** Returns a path that skips days without a value. */
function toPath(
  values: readonly (number | undefined)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  const parts = values.map((value, index) =>
    value === undefined
      ? ''
      : `${index > 0 && values[index - 1] !== undefined ? 'L' : 'M'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`,
  )
  return parts.join('')
}
