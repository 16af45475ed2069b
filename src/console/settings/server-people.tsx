import type { ListedPerson } from '../../interface/people.ts'
import { confirmMail, listPeople, resetSecondFactors } from '../api.ts'
import { Row } from '../list.tsx'
import { usePolled } from '../use-read.ts'
import { Actions, ListSection, type Question, useChanges } from './section.tsx'
import { words } from './words.ts'

/** Lists everyone with an account on the server; an owner resets a lost second factor, or vouches for an address. */
export function ServerPeople() {
  const changes = useChanges(['people'])
  const actionsOf = (person: ListedPerson) => (
    <Actions
      of={`: ${person.name}`}
      all={[
        !person.mailProven && { text: words.confirmMail, run: () => changes.ask(confirm(person)) },
        person.secondFactor && { text: words.reset, run: () => changes.ask(reset(person)) },
      ]}
    />
  )
  return (
    <ListSection
      title={words.people}
      changes={changes}
      read={usePolled(['people'], listPeople)}
      keyOf={({ id }) => id}
      row={(person) => (
        <Row name={<bdi>{person.name}</bdi>} actions={actionsOf(person)}>
          <span class="quiet small-text">{describe(person)}</span>
        </Row>
      )}
    />
  )
}

const confirm = ({ id, mail }: ListedPerson): Question => ({
  title: words.confirmMail,
  submit: words.confirmMail,
  text: words.confirmMailText(mail),
  run: async () => {
    await confirmMail(id)
    return {}
  },
})

const reset = ({ id, name }: ListedPerson): Question => ({
  title: words.resetTitle(name),
  submit: words.reset,
  isBad: true,
  text: words.resetText,
  run: async () => {
    await resetSecondFactors(id)
    return { said: words.resetDone(name) }
  },
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
