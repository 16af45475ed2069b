import type { VipUser } from '../../interface/audience.ts'
import { Icon } from '../icons.tsx'
import { useOrganization } from '../organization.ts'
import { Refusal } from '../refusal.tsx'
import { formatInstant } from '../times.ts'
import { Button } from '../ui.tsx'
import { common } from '../words.ts'
import { formatBirthday } from './birthday.ts'
import { nameOf, Person } from './person.tsx'
import type { Marks } from './use-marks.ts'
import { words } from './words.ts'

/** The people with their birthday and last contacts; a star marks a VIP. */
export function PeopleTable({
  items,
  channelName,
  marks,
}: {
  items: readonly VipUser[]
  channelName: string
  marks: Marks
}) {
  const { timeZone, may } = useOrganization()
  const mayMark = may('audience:mark')
  return (
    <div class="table-frame">
      <table>
        <caption class="hidden">{words.caption(channelName)}</caption>
        <thead>
          <tr>
            <th scope="col">{words.person}</th>
            <th scope="col">{words.birthday}</th>
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
        <tbody
          onPointerOver={({ target }) => {
            // The time of day is made where the pointer is: for each row it would cost as much as the row.
            const time = target instanceof Element ? target.closest('time') : null
            if (time !== null) time.title = formatInstant(time.dateTime, timeZone)
          }}
        >
          {items.map((row) => (
            <tr key={row.conversationId} class={marks.isUnmarked(row) ? 'unmarked' : undefined}>
              <th scope="row">
                <Person row={row} />
              </th>
              <td>{row.birthday === undefined ? '' : formatBirthday(row.birthday)}</td>
              <Instant at={row.lastPurchaseTimestamp} timeZone={timeZone} />
              <Instant at={row.lastUserMessageTimestamp} timeZone={timeZone} />
              <Instant at={row.lastAppOpenTimestamp} timeZone={timeZone} />
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

function Star({ row, marks: { isVip, isBusy, isUnmarked, errorOf, set } }: { row: VipUser; marks: Marks }) {
  const isOn = isVip(row)
  const isWaiting = isBusy(row)
  return (
    <>
      <button
        type="button"
        class={`button icon-button star ${isOn ? 'star-on' : ''}`}
        aria-pressed={isOn}
        aria-label={words.vipOf(nameOf(row))}
        // Disabled, it would lose the focus.
        aria-disabled={isWaiting}
        // The second click of a double click would take back the first.
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
