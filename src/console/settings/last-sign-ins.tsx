import { call } from '../api.ts'
import { useOrganization } from '../organization.ts'
import { formatInstant } from '../times.ts'
import { usePolled } from '../use-read.ts'
import { server as words } from '../words.ts'
import { ListSection, Row, useChanges } from './section.tsx'

const SHOWN = 10

/** Lists the latest sign-ins. */
export function LastSignIns() {
  const { timeZone } = useOrganization()
  const { data, ...read } = usePolled(['accounts'], (options) => call('listPeople', {}, options))
  const latest = data
    ?.flatMap(({ id, name, lastSignIn }) => (lastSignIn === undefined ? [] : [{ id, name, ...lastSignIn }]))
    .sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
    .slice(0, SHOWN)
  return (
    <ListSection
      title={words.lastSignIns}
      changes={useChanges()}
      read={{ ...read, data: latest }}
      empty={<p class="quiet">{words.noSignIns}</p>}
      row={({ name, at, browser, network }) => (
        <Row name={<bdi>{name}</bdi>} about={words.signedIn({ time: formatInstant(at, timeZone), browser, network })} />
      )}
    />
  )
}
