import type { ListedPerson } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { CopyField, toLink } from '../forms.tsx'
import { useOrganization } from '../organization.ts'
import { formatInstant } from '../times.ts'
import { usePolled } from '../use-read.ts'
import { settings as words } from '../words.ts'
import { DeleteAccount } from './remove-member.tsx'
import { done, ListSection, type Question, Row, useChanges } from './section.tsx'

/**
 * Everyone with an account on the server. Owners can reset a lost second factor, verify an address, or delete an account.
 */
export function ServerPeople() {
  const { timeZone } = useOrganization()
  const changes = useChanges(['accounts'], ['members'])
  return (
    <ListSection
      title={words.people}
      changes={changes}
      read={usePolled(['accounts'], (options) => call('listPeople', {}, options))}
      row={(person) => (
        <Row
          name={<bdi>{person.name}</bdi>}
          about={describe(person)}
          of={`: ${person.name}`}
          actions={[
            person.active && { text: words.makeSignInLink, ask: signInLink(person, timeZone) },
            person.active && { text: person.owner ? words.endOwner : words.makeOwner, ask: changeOwner(person) },
            !person.mailProven && { text: words.confirmMail, ask: confirm(person) },
            person.secondFactor && { text: words.reset, ask: reset(person) },
            { text: words.delete, run: () => changes.open(<DeleteAccount of={person} />) },
          ]}
        />
      )}
    />
  )
}

/** For a person who cannot sign in, even without email. */
const signInLink = ({ id: personId, name }: ListedPerson, timeZone: string): Question => ({
  title: words.signInLinkTitle({ name }),
  submit: words.makeLink,
  text: words.signInLinkText,
  async run() {
    const { path, expiresAt } = await call('createSignInLink', { personId })
    const children = <CopyField label={words.link} value={toLink(path)} />
    const lead = words.signInLinkLead({ name, time: formatInstant(expiresAt, timeZone) })
    return { secret: { title: words.signInLinkReady, lead, children } }
  },
})

const changeOwner = ({ id: personId, name, owner }: ListedPerson): Question => ({
  title: owner ? words.endOwnerTitle({ name }) : words.makeOwnerTitle({ name }),
  submit: owner ? words.endOwner : words.makeOwner,
  isBad: !owner,
  text: words.ownersHint,
  run: () => done(call('updatePerson', { personId, body: { owner: !owner } }), words.saved),
})

const confirm = ({ id: personId, mail }: ListedPerson): Question => ({
  title: words.confirmMail,
  submit: words.confirmMail,
  text: words.confirmMailText({ mail }),
  run: () => done(call('updatePerson', { personId, body: { mailProven: true } })),
})

const reset = ({ id: personId, name }: ListedPerson): Question => ({
  title: words.resetTitle({ name }),
  submit: words.reset,
  isBad: true,
  text: words.resetText,
  run: () => done(call('resetSecondFactors', { personId }), words.resetDone({ name })),
})

const describe = ({ mail, mailProven, owner, active, secondFactor }: ListedPerson): string =>
  [
    mail,
    !mailProven && words.unproven,
    owner && words.owner,
    !active && words.inactive,
    secondFactor ? words.has : words.hasNot,
  ]
    .filter(Boolean)
    .join(' · ')
