import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { OrganizationChannel, PostingSlot } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { addDays } from '../days.ts'
import { Choice } from '../fields.tsx'
import { Form } from '../forms.tsx'
import { Icon } from '../icons.tsx'
import { Loaded } from '../list.tsx'
import { useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { useChannels } from '../posts/queries.ts'
import { formatDay, zoneName } from '../times.ts'
import { announce, Button, Dialog, Empty } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { common, textOf, calendarTools as toolsWords } from '../words.ts'
import { useSlots } from './queries.ts'

const words = toolsWords.slots

const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7] as const
const A_MONDAY = '1970-01-05'
const nameOfDay = (weekday: number): string => formatDay(addDays(A_MONDAY, weekday - 1), 'weekdayName')

/** Edits the channels' posting slots. Each change is saved immediately. */
export function SlotsDialog({ onClose }: { onClose: () => void }) {
  const { timeZone, may } = useOrganization()
  const channels = useChannels()
  const data = channels.data?.filter(({ id }) => may('posts:write', [id]))
  return (
    <Dialog title={words.title} onClose={onClose}>
      <div class="form">
        <p>{words.lead({ zone: zoneName(timeZone) })}</p>
        <Loaded read={{ ...channels, data }} lines={3} empty={<Empty title={words.noChannels} />}>
          {(channels) => <ChannelSlots channels={channels} />}
        </Loaded>
        <div class="actions">
          <Button onClick={onClose}>{common.close}</Button>
        </div>
      </div>
    </Dialog>
  )
}

function ChannelSlots({ channels }: { channels: readonly OrganizationChannel[] }) {
  const { id: organizationId } = useOrganization()
  const { query } = useUrlQuery()
  const client = useQueryClient()
  const { busy, error, act } = useAct()
  const [channelId, setChannelId] = useState(channels.find(({ id }) => id === query.channel)?.id ?? channels[0]!.id)
  const [weekday, setWeekday] = useState('1')
  const [time, setTime] = useState('09:00')
  const slots = useSlots().filter((slot) => slot.channelId === channelId)
  const set = (next: PostingSlot[]) =>
    act(async () => {
      const body = { slots: next.map((slot) => ({ weekday: slot.weekday, time: slot.time })) }
      const saved = await call('setPostingSlots', { organizationId, channelId, body })
      await client.invalidateQueries({ queryKey: ['posting-slots', organizationId] })
      announce(words.saved({ many: saved.slots.length }))
    })
  return (
    <>
      <Choice
        label={words.channel}
        value={channelId}
        options={channels.map(({ id, name, type }) => [id, `${name} (${textOf(common.channelTypes, type)})`] as const)}
        onChoose={setChannelId}
      />
      {slots.length === 0 ? (
        <p class="quiet">{words.none}</p>
      ) : (
        <ul class="slot-list" aria-label={words.list}>
          {slots.map((slot) => (
            <li key={`${slot.weekday} ${slot.time}`}>
              <span>
                {nameOfDay(slot.weekday)} <span class="chip-time">{slot.time}</span>
              </span>
              <Button
                kind="icon-button"
                disabled={busy}
                aria-label={words.remove({ day: nameOfDay(slot.weekday), time: slot.time })}
                onClick={() => void set(slots.filter((one) => one !== slot))}
              >
                <Icon name="close" />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Form
        className="slot-form"
        error={error}
        onSubmit={() => !busy && time !== '' && set([...slots, { weekday: Number(weekday), time }])}
      >
        <Choice
          label={words.weekday}
          value={weekday}
          options={WEEKDAYS.map((one) => [String(one), nameOfDay(one)] as const)}
          onChoose={setWeekday}
        />
        <label>
          <span class="label">{words.time}</span>
          <input type="time" required value={time} onInput={(event) => setTime(event.currentTarget.value)} />
        </label>
        <Button type="submit" disabled={busy || time === ''}>
          {words.add}
        </Button>
      </Form>
    </>
  )
}
