import { useEffect, useRef, useState } from 'preact/hooks'
import { formatInstant } from '../times.ts'
import { insightsWords as words } from '../words.ts'
import type { PlotData } from './draw-plot.ts'

/** A metric over days and, dashed, over the days of the window before. The same numbers stand in the table beside it. */
export function Plot({ data, formatValue }: { data: PlotData; formatValue: (value: number | undefined) => string }) {
  const element = useRef<HTMLDivElement>(null)
  const [point, setPoint] = useState<number>()
  const [scheme, setScheme] = useState(0)
  const key = JSON.stringify([data, formatValue(1)])
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const follow = (): void => setScheme((count) => count + 1)
    dark.addEventListener('change', follow)
    return () => dark.removeEventListener('change', follow)
  }, [])
  useEffect(() => {
    let takeAway: (() => void) | undefined
    let isGone = false
    // Large, and the table is there without it.
    void import('./draw-plot.ts')
      .then(({ drawPlot }) => {
        if (isGone || element.current === null) return
        takeAway = drawPlot(element.current, data, {
          formatDay: (ms) => formatInstant(ms, 'UTC', 'dayMonth'),
          formatValue,
          onPoint: setPoint,
        })
      })
      .catch(() => {})
    return () => {
      isGone = true
      takeAway?.()
    }
  }, [key, scheme])
  const day = point === undefined ? undefined : data.days[point]
  return (
    <figure class="plot" aria-hidden="true">
      <figcaption class="plot-legend small-text">
        <span class="plot-now">{words.thisWindow}</span>
        {data.before !== undefined && <span class="plot-before">{words.windowBefore}</span>}
        <span class="quiet plot-point">
          {day !== undefined &&
            words.point(
              formatInstant(`${day}T00:00:00Z`, 'UTC', 'weekDate'),
              formatValue(data.values[point!]),
              data.before === undefined ? undefined : formatValue(data.before[point!]),
            )}
        </span>
      </figcaption>
      <div ref={element} class="plot-canvas" />
    </figure>
  )
}
