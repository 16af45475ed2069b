import { call } from '../api.ts'
import { CopyField, toLink } from '../forms.tsx'
import { useMe, useOrganization } from '../organization.ts'
import { formatInstant } from '../times.ts'
import { settings as words } from '../words.ts'
import { LastSignIns } from './last-sign-ins.tsx'
import { OperatorTokens } from './operator-tokens.tsx'
import { Organizations } from './organizations.tsx'
import { Section, useChanges } from './section.tsx'
import { Health } from './server-health.tsx'
import { ServerPeople } from './server-people.tsx'

/**
 * The server as a whole: health, operator tokens, owners, recent sign-ins, organizations and people. Long lists come last,
 * so that Tab reaches everything else first.
 */
export function Server() {
  const { version } = useMe()
  return (
    <>
      <p class="quiet">{words.version({ version })}</p>
      <Health />
      <OperatorTokens />
      <Owners />
      <LastSignIns />
      <Organizations />
      <ServerPeople />
    </>
  )
}

function Owners() {
  const { timeZone } = useOrganization()
  const invite = async () => {
    const { expiresAt, path } = await call('inviteOwner', {})
    const lead = words.ownerLead({ time: formatInstant(expiresAt, timeZone) })
    const children = <CopyField label={words.link} value={toLink(path)} />
    return { secret: { title: words.inviteReady, lead, children } }
  }
  return (
    <Section
      title={words.owners}
      hint={words.ownersHint}
      changes={useChanges()}
      action={{ text: words.inviteOwner, change: invite }}
    />
  )
}
