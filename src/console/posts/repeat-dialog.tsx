import { useRef, useState } from 'preact/hooks'
import type { RecurrenceRule, ScheduledPost } from '../../interface/generated/types.ts'
import { FREQUENCIES, listOccurrences, OCCURRENCES_MAX } from '../../interface/recurrence.ts'
import { call } from '../api.ts'
import { newKey } from '../clock.ts'
import { CheckField, TextField } from '../fields.tsx'
import { FormDialog } from '../forms.tsx'
import { useOrganization } from '../organization.ts'
import { formatInstant, zoneName } from '../times.ts'
import { announce, Field, Note } from '../ui.tsx'
import { useNow } from '../use-now.ts'
import { list } from '../wording.ts'
import { textOf, series as words } from '../words.ts'
import { toDay, toWallTime } from '../zoned.ts'

const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7]
const DAY_MS = 86_400_000

/** The fields as typed. */
interface Typed {
  frequency: RecurrenceRule['frequency']
  weekdays: number[]
  dayOfMonth: number
  time: string
  from: string
  end: 'count' | 'until'
  count: number
  until: string
}

/** Starts the day after the post, at the same time. */
function toStart({ scheduledFor }: ScheduledPost, timeZone: string, nowMs: number): Typed {
  const wall = scheduledFor === undefined ? undefined : toWallTime(scheduledFor, timeZone)
  const firstMs = Math.max(nowMs, Date.parse(`${wall?.slice(0, 10) ?? toDay(nowMs, timeZone)}T12:00:00Z`))
  const first = new Date(firstMs)
  return {
    frequency: 'WEEKLY',
    weekdays: [first.getUTCDay() || 7],
    dayOfMonth: first.getUTCDate(),
    time: wall?.slice(11) ?? '10:00',
    from: toDay(firstMs + DAY_MS, 'UTC'),
    ...{ end: 'count', count: 4, until: toDay(firstMs + 28 * DAY_MS, 'UTC') },
  }
}

/** Returns the rule that was typed; undefined while a field is empty. */
function toRule({ frequency, weekdays, dayOfMonth, time, from, end, count, until }: Typed): RecurrenceRule | undefined {
  const isWhole = time !== '' && from !== '' && (end === 'count' ? count >= 1 : until !== '')
  if (!isWhole || (frequency === 'WEEKLY' && weekdays.length === 0)) return undefined
  return {
    ...{ frequency, time, from },
    ...(frequency === 'WEEKLY' && { weekdays }),
    ...(frequency === 'MONTHLY' && { dayOfMonth }),
    ...(end === 'count' ? { count } : { until }),
  }
}

interface RepeatDialogProps {
  post: ScheduledPost
  etag: string
  onDone: () => Promise<void>
  onClose: () => void
}

/** Asks how the post should repeat, and previews the times before anything is created. */
export default function RepeatDialog({ post, etag, onDone, onClose }: RepeatDialogProps) {
  const { id: organizationId, timeZone } = useOrganization()
  const nowMs = useNow()
  const [typed, setTyped] = useState(() => toStart(post, timeZone, nowMs))
  const key = useRef({ of: '', key: '' })
  const change = (changes: Partial<Typed>): void => setTyped((before) => ({ ...before, ...changes }))
  const rule = toRule(typed)
  const { instants, isTooLong } = rule ? listOccurrences(rule, timeZone, nowMs) : { instants: [], isTooLong: false }
  const hashtags = Object.values(post.mediumsData).flatMap(({ superpower }) => superpower?.hashtag ?? [])
  const create = async (): Promise<void> => {
    if (rule === undefined) return
    const of = JSON.stringify(rule)
    if (key.current.of !== of) key.current = { of, key: newKey() }
    const headers = { 'if-match': etag, 'idempotency-key': key.current.key }
    const made = await call('createPostSeries', { organizationId, scheduledPostId: post.id, body: rule }, { headers })
    announce(words.created({ many: made.posts.length - 1 }))
    onClose()
    await onDone()
  }
  return (
    <FormDialog
      title={words.dialogTitle}
      submit={words.create({ many: instants.length })}
      disabled={instants.length === 0 || isTooLong || hashtags.length > 0}
      onSubmit={create}
      onClose={onClose}
    >
      <p>{words.lead}</p>
      {hashtags.length > 0 && (
        <Note kind="warn">
          <p>{words.hashtags({ hashtags: list([...new Set(hashtags)]) })}</p>
        </Note>
      )}
      <Days typed={typed} change={change} />
      <TextField
        label={words.time}
        hint={words.timeHint({ zone: zoneName(timeZone) })}
        type="time"
        required
        value={typed.time}
        onInput={(event) => change({ time: event.currentTarget.value })}
      />
      <TextField
        label={words.from}
        type="date"
        required
        value={typed.from}
        onInput={(event) => change({ from: event.currentTarget.value })}
      />
      <End typed={typed} change={change} />
      {isTooLong ? (
        <p class="problem">{words.tooMany({ max: OCCURRENCES_MAX })}</p>
      ) : instants.length === 0 ? (
        <p class="problem">{words.none}</p>
      ) : (
        <section>
          <h3>{words.dates({ many: instants.length })}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls takes the focus (WCAG 2.1.1) */}
          <ol class="series-posts" tabIndex={0} aria-label={words.dates({ many: instants.length })}>
            {instants.map((instant) => (
              <li key={instant}>{formatInstant(instant, timeZone)}</li>
            ))}
          </ol>
        </section>
      )}
    </FormDialog>
  )
}

interface PartProps {
  typed: Typed
  change: (changes: Partial<Typed>) => void
}

function Days({ typed: { frequency, weekdays, dayOfMonth }, change }: PartProps) {
  return (
    <>
      <Field label={words.frequency}>
        {(attributes) => (
          <select
            {...attributes}
            value={frequency}
            onChange={(event) => change({ frequency: event.currentTarget.value as Typed['frequency'] })}
          >
            {FREQUENCIES.map((one) => (
              <option key={one} value={one}>
                {words.frequencyOf[one]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {frequency === 'WEEKLY' && (
        <fieldset class="channel-choice">
          <legend class="label">{words.weekdays}</legend>
          {WEEKDAYS.map((day) => (
            <CheckField
              key={day}
              checked={weekdays.includes(day)}
              onCheck={(checked) =>
                change({ weekdays: WEEKDAYS.filter((one) => (one === day ? checked : weekdays.includes(one))) })
              }
            >
              {textOf(words.weekdayOf, String(day))}
            </CheckField>
          ))}
        </fieldset>
      )}
      {frequency === 'MONTHLY' && (
        <TextField
          label={words.dayOfMonth}
          hint={words.dayOfMonthHint}
          type="number"
          min={1}
          max={31}
          required
          value={dayOfMonth}
          onInput={(event) => change({ dayOfMonth: event.currentTarget.valueAsNumber || 1 })}
        />
      )}
    </>
  )
}

function End({ typed: { end, count, until }, change }: PartProps) {
  return (
    <>
      <Field label={words.end}>
        {(attributes) => (
          <select
            {...attributes}
            value={end}
            onChange={(event) => change({ end: event.currentTarget.value as Typed['end'] })}
          >
            <option value="count">{words.endOf.count}</option>
            <option value="until">{words.endOf.until}</option>
          </select>
        )}
      </Field>
      {end === 'count' ? (
        <TextField
          label={words.count}
          type="number"
          min={1}
          max={OCCURRENCES_MAX}
          required
          value={count}
          onInput={(event) => change({ count: event.currentTarget.valueAsNumber || 0 })}
        />
      ) : (
        <TextField
          label={words.until}
          type="date"
          required
          value={until}
          onInput={(event) => change({ until: event.currentTarget.value })}
        />
      )}
    </>
  )
}
