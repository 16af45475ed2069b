import type { AudienceRow } from '../../interface/generated/types.ts'
import { Icon } from '../icons.tsx'
import { useOrganization } from '../organization.ts'
import { Refusal } from '../refusal.tsx'
import { formatInstant } from '../times.ts'
import { Button } from '../ui.tsx'
import { useIsPainted } from '../use-is-painted.ts'
import { money, number } from '../wording.ts'
import { common, audience as words } from '../words.ts'
import { formatBirthday } from './birthday.ts'
import { nameOf, Person } from './person.tsx'
import type { Marks } from './use-marks.ts'

interface PeopleTableProps {
  items: readonly AudienceRow[]
  currency: string | null
  channelId: string
  channelName: string
  marks: Marks
  /** Conversation ids of the selected people. */
  chosen: ReadonlySet<string>
  onChoose: (ids: readonly string[], isChosen: boolean) => void
}

/** People with their value, birthday and last contacts. A star marks a VIP; a checkbox selects. */
export function PeopleTable({ items, currency, channelId, channelName, marks, chosen, onChoose }: PeopleTableProps) {
  const { timeZone, may } = useOrganization()
  const mayMark = may('audience:mark', [channelId])
  const isPainted = useIsPainted()
  return (
    <div class="table-frame">
      <table>
        <caption class="hidden">{words.caption({ channel: channelName })}</caption>
        <Head currency={currency} items={items} mayMark={mayMark} chosen={chosen} onChoose={onChoose} />
        <tbody
          onPointerOver={({ target }) => {
            // Computed on hover: for every row it would cost as much as the row itself.
            const time = target instanceof Element ? target.closest('time') : null
            if (time !== null) time.title = formatInstant(time.dateTime, timeZone)
          }}
        >
          {items.map((row) => (
            <tr key={row.conversationId} class={marks.isUnmarked(row) ? 'unmarked' : undefined}>
              {mayMark && (
                <td class="box">
                  <Box
                    label={words.choose({ name: nameOf(row) })}
                    checked={chosen.has(row.conversationId)}
                    onChange={(isChosen) => onChoose([row.conversationId], isChosen)}
                  />
                </td>
              )}
              <th scope="row">
                <Person row={row} />
              </th>
              <td class="number value">{money(row.lifetimeValue)}</td>
              <td class="number rank">{row.rank === null ? '' : number(row.rank)}</td>
              <td class="day">{row.birthday === undefined ? '' : formatBirthday(row.birthday)}</td>
              {INSTANTS.map((name) => (
                <Instant key={name} at={isPainted ? row[name] : undefined} timeZone={timeZone} />
              ))}
              {mayMark && (
                <td>
                  <Star row={row} marks={marks} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const INSTANTS = ['lastPurchaseTimestamp', 'lastUserMessageTimestamp', 'lastAppOpenTimestamp'] as const

function Head({
  currency,
  items,
  mayMark,
  chosen,
  onChoose,
}: Pick<PeopleTableProps, 'currency' | 'items' | 'chosen' | 'onChoose'> & { mayMark: boolean }) {
  const ids = items.map(({ conversationId }) => conversationId)
  return (
    <thead>
      <tr>
        {mayMark && (
          <td class="box">
            <Box
              label={words.chooseAll}
              checked={ids.length > 0 && ids.every((id) => chosen.has(id))}
              onChange={(isChosen) => onChoose(ids, isChosen)}
            />
          </td>
        )}
        <th scope="col" class="who">
          {words.person}
        </th>
        <th scope="col" class="value">
          {currency === null ? words.value : words.valueIn({ currency })}
        </th>
        <th scope="col" class="rank">
          {words.rank}
        </th>
        <th scope="col" class="day">
          {words.birthday}
        </th>
        {[words.lastPurchase, words.lastMessage, words.lastOpen].map((text) => (
          <th key={text} scope="col" class="wide">
            {text}
          </th>
        ))}
        {mayMark && (
          <th scope="col" class="vip">
            {words.vip}
          </th>
        )}
      </tr>
    </thead>
  )
}

/** A checkbox inside its label, which makes a larger target. */
const Box = ({
  label,
  checked,
  onChange,
}: {
  label: string
  checked: boolean
  onChange: (isChecked: boolean) => void
}) => (
  <label>
    <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
    <span class="hidden">{label}</span>
  </label>
)

function Star({ row, marks: { isVip, isBusy, isUnmarked, errorOf, set } }: { row: AudienceRow; marks: Marks }) {
  const isOn = isVip(row)
  const isWaiting = isBusy(row)
  return (
    <>
      <button
        type="button"
        class={`button icon-button star ${isOn ? 'star-on' : ''}`}
        aria-pressed={isOn}
        aria-label={words.vipOf({ name: nameOf(row) })}
        // A disabled button would lose the focus.
        aria-disabled={isWaiting}
        // The second click of a double click would undo the first.
        onClick={({ detail }) => void (isWaiting || detail > 1 || set(row, !isOn))}
      >
        <Icon name="star" />
      </button>
      {isUnmarked(row) && (
        <Button kind="small" of={nameOf(row)} disabled={isWaiting} onClick={() => void set(row, true)}>
          {common.undo}
        </Button>
      )}
      <Refusal error={errorOf(row)} />
    </>
  )
}

const Instant = ({ at, timeZone }: { at: number | undefined; timeZone: string }) => (
  <td class="wide number">
    {at !== undefined && <time dateTime={new Date(at).toISOString()}>{formatInstant(at, timeZone, 'date')}</time>}
  </td>
)
