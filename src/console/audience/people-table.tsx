import type { VipUser } from '../../interface/audience.ts'
import { Icon } from '../icons.tsx'
import { useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { formatBirthday } from './birthday.ts'
import { nameOf, Person } from './person.tsx'
import type { Marks } from './use-marks.ts'
import { words } from './words.ts'

/** The people with their birthday and last contacts; a star marks a VIP. */
export function PeopleTable({ items, channelName, marks }: { items: VipUser[]; channelName: string; marks: Marks }) {
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
            <tr key={row.conversationId}>
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

function Star({ row, marks: { isVip, isBusy, set } }: { row: VipUser; marks: Marks }) {
  const isOn = isVip(row)
  return (
    <button
      type="button"
      class={`button icon-button star ${isOn ? 'star-on' : ''}`}
      aria-pressed={isOn}
      aria-label={words.vipOf(nameOf(row))}
      disabled={isBusy(row)}
      onClick={() => void set(row, !isOn)}
    >
      <Icon name="star" />
    </button>
  )
}

const Instant = ({ at, timeZone }: { at: number | undefined; timeZone: string }) => (
  <td class="wide number">
    {at !== undefined && <time dateTime={new Date(at).toISOString()}>{formatInstant(at, timeZone, 'date')}</time>}
  </td>
)
