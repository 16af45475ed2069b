import { useState } from 'preact/hooks'
import { formatDistance, zoneName } from '../times.ts'
import { Field } from '../ui.tsx'
import { useNow } from '../use-now.ts'
import { offsetOf, readWallTime } from '../zoned.ts'
import { postWords } from './words.ts'

const words = postWords.editor

/** The instant that is meant; undefined while there is none, or while it is not clear which one. */
export function instantOf(time: string, occurrence: string, timeZone: string): string | undefined {
  const read = time === '' ? undefined : readWallTime(time, timeZone)
  if (read?.kind === 'once') return read.instant
  if (read?.kind === 'twice' && occurrence !== '') return occurrence === 'earlier' ? read.earlier : read.later
  return undefined
}

/** The sentence that says what is wrong with the time. */
export function problemOfTime(time: string, occurrence: string, timeZone: string, nowMs: number): string | undefined {
  if (time === '') return undefined
  const read = readWallTime(time, timeZone)
  if (read === undefined) return words.timeUnreadable
  if (read.kind === 'never') return words.timeNever(zoneName(timeZone))
  if (read.kind === 'twice' && occurrence === '') return words.timeTwice
  const instant = instantOf(time, occurrence, timeZone)
  return instant !== undefined && Date.parse(instant) <= nowMs ? words.timePast : undefined
}

interface WallTime {
  /** On the organization's wall clock, as `<input type=datetime-local>` has it. */
  time: string
  /** Says which of the two is meant where the clock shows it twice. */
  occurrence: 'earlier' | 'later' | ''
}

interface ScheduleFieldProps extends WallTime {
  timeZone: string
  label?: string
  onChange: (value: WallTime) => void
}

/** The attributes of a ScheduleField that begins with a time, and the instant that it means once it is sound. */
export function useSchedule(timeZone: string, start = '') {
  const nowMs = useNow()
  const [value, onChange] = useState<WallTime>({ time: start, occurrence: '' })
  const { time, occurrence } = value
  const isGood = problemOfTime(time, occurrence, timeZone, nowMs) === undefined
  const field: ScheduleFieldProps = { ...value, timeZone, onChange }
  return { field, instant: isGood ? instantOf(time, occurrence, timeZone) : undefined }
}

/** Asks for a time on the organization's wall clock, and which one where the clock shows it twice. */
export function ScheduleField({ time, occurrence, timeZone, label = words.time, onChange }: ScheduleFieldProps) {
  const nowMs = useNow()
  const read = time === '' ? undefined : readWallTime(time, timeZone)
  const instant = instantOf(time, occurrence, timeZone)
  return (
    <>
      <Field
        label={label}
        hint={
          instant === undefined
            ? words.timeZone(zoneName(timeZone))
            : `${words.timeZone(zoneName(timeZone))} · ${formatDistance(instant, nowMs)}`
        }
        problem={problemOfTime(time, occurrence, timeZone, nowMs)}
      >
        {(attributes) => (
          <input
            {...attributes}
            type="datetime-local"
            value={time}
            onInput={(event) => onChange({ time: event.currentTarget.value, occurrence: '' })}
          />
        )}
      </Field>
      {read?.kind === 'twice' && (
        <fieldset class="choices">
          <legend class="label">{words.whichOne}</legend>
          {(['earlier', 'later'] as const).map((which) => (
            <label key={which} class="check">
              <input
                type="radio"
                name="occurrence"
                checked={occurrence === which}
                onChange={() => onChange({ time, occurrence: which })}
              />
              {words.occurrence(which, offsetOf(read[which], timeZone))}
            </label>
          ))}
        </fieldset>
      )}
    </>
  )
}
