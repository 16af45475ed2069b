import { useState } from 'preact/hooks'
import { TextField } from '../fields.tsx'
import { useOrganization } from '../organization.ts'
import { formatDistance, formatInstant, zoneName } from '../times.ts'
import { useNow } from '../use-now.ts'
import { posts as postWords } from '../words.ts'
import { offsetOf, readWallTime } from '../zoned.ts'

const words = postWords.editor

/** A time as typed. */
export interface WallTime {
  /** Wall-clock time in the person's time zone, in the format of `<input type=datetime-local>`. */
  time: string
  /** The instant that is meant if the time occurs twice. */
  occurrence: 'earlier' | 'later' | ''
}

/** Parses a typed time; returns its instant and the problem with it, if any. */
export function readTime({ time, occurrence }: WallTime, timeZone: string, nowMs: number): MeantTime {
  if (time === '') return {}
  const read = readWallTime(time, timeZone)
  if (read === undefined) return { problem: words.timeUnreadable }
  if (read.kind === 'never') return { problem: words.timeNever({ zone: zoneName(timeZone) }) }
  const choices = read.kind === 'twice' ? read : undefined
  const instant = read.kind === 'once' ? read.instant : occurrence === '' ? undefined : read[occurrence]
  if (instant === undefined) return { choices, problem: words.timeTwice }
  return { choices, instant, problem: Date.parse(instant) <= nowMs ? words.timePast : undefined }
}

interface MeantTime {
  /** Undefined if there is none, or if it is ambiguous. */
  instant?: string
  problem?: string | undefined
  /** The two instants of a time that occurs twice. */
  choices?: { earlier: string; later: string } | undefined
}

interface ScheduleFieldProps extends WallTime {
  label?: string
  onChange: (value: WallTime) => void
}

/** Returns the props of a ScheduleField with an initial time, and the instant once it is valid. */
export function useSchedule(start = '') {
  const nowMs = useNow()
  const { timeZone } = useOrganization()
  const [value, onChange] = useState<WallTime>({ time: start, occurrence: '' })
  const { instant, problem } = readTime(value, timeZone, nowMs)
  const field: ScheduleFieldProps = { ...value, onChange }
  return { field, instant: problem === undefined ? instant : undefined }
}

/** A wall-clock time in the person's time zone, with a choice if it occurs twice. */
export function ScheduleField({ time, occurrence, label = words.time, onChange }: ScheduleFieldProps) {
  const nowMs = useNow()
  const { timeZone, organizationTimeZone } = useOrganization()
  const { instant, problem, choices } = readTime({ time, occurrence }, timeZone, nowMs)
  const hints = [words.timeZone({ zone: zoneName(timeZone) })]
  if (instant !== undefined) {
    hints.push(formatDistance(instant, nowMs))
    // Other members read times in the organization's zone.
    if (timeZone !== organizationTimeZone)
      hints.push(
        words.timeThere({
          time: formatInstant(instant, organizationTimeZone, 'short'),
          zone: zoneName(organizationTimeZone),
        }),
      )
  }
  return (
    <>
      <TextField
        label={label}
        hint={hints.join(' · ')}
        problem={problem}
        type="datetime-local"
        value={time}
        onInput={(event) => onChange({ time: event.currentTarget.value, occurrence: '' })}
      />
      {choices && (
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
              {words.occurrence({ which, offset: offsetOf(choices[which], timeZone) })}
            </label>
          ))}
        </fieldset>
      )}
    </>
  )
}
