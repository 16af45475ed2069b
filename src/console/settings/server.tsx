import { inviteOwner } from '../api.ts'
import { toLink } from '../forms.tsx'
import { useMe, useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { Button } from '../ui.tsx'
import { OperatorTokens } from './operator-tokens.tsx'
import { Organizations } from './organizations.tsx'
import { Section, useChanges } from './section.tsx'
import { ServerPeople } from './server-people.tsx'
import { words } from './words.ts'

/** The server as a whole: its organizations, its people, the tokens of its operator, and its owners. */
export function Server() {
  const { version } = useMe()
  return (
    <section class="section">
      <p class="quiet">{words.version(version)}</p>
      <Organizations />
      <ServerPeople />
      <OperatorTokens />
      <Owners />
    </section>
  )
}

function Owners() {
  const { timeZone } = useOrganization()
  const changes = useChanges()
  const invite = () =>
    changes.change(async () => {
      const { expiresAt, path } = await inviteOwner()
      const lead = words.ownerLead(formatInstant(expiresAt, timeZone))
      return { secret: { title: words.inviteReady, lead, fields: [{ label: words.link, value: toLink(path) }] } }
    })
  return (
    <Section
      title={words.owners}
      hint={words.ownersHint}
      changes={changes}
      add={
        <Button disabled={changes.busy} onClick={() => void invite()}>
          {words.inviteOwner}
        </Button>
      }
    />
  )
}
