import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { ListedPerson } from '../../interface/people.ts'
import { confirmMail, listPeople, resetSecondFactors } from '../api.ts'
import { POLL_MS } from '../clock.ts'
import { FormDialog, SectionHead } from '../forms.tsx'
import { announce, Loading, Problem } from '../ui.tsx'
import { useRead } from '../use-read.ts'
import { words } from './words.ts'

/** Lists everyone with an account on the server; an owner resets the second factor of a person who has lost it, or vouches for an address. */
export function ServerPeople() {
  const client = useQueryClient()
  const [resets, setResets] = useState<ListedPerson>()
  const [confirms, setConfirms] = useState<ListedPerson>()
  const people = useRead({
    queryKey: ['people'],
    queryFn: ({ signal }) => listPeople({ signal }),
    refetchInterval: POLL_MS,
  })
  const close = (): void => setResets(undefined)
  const describe = ({ mail, mailProven, owner, active, secondFactor }: ListedPerson): string =>
    [
      mail,
      mailProven ? '' : words.unproven,
      owner ? words.owner : '',
      active ? '' : words.inactive,
      secondFactor ? words.has : words.hasNot,
    ]
      .filter(Boolean)
      .join(' · ')
  return (
    <>
      <SectionHead title={words.people} />
      {people.data === undefined ? (
        people.error ? (
          <Problem error={people.error} onRetry={people.refetch} />
        ) : (
          <Loading />
        )
      ) : (
        <ul class="card rows" aria-label={words.people}>
          {people.data.map((person) => (
            <li key={person.id}>
              <div class="row-text">
                <strong>
                  <bdi>{person.name}</bdi>
                </strong>
                <span class="quiet small-text">{describe(person)}</span>
              </div>
              <div class="actions">
                {!person.mailProven && (
                  <button type="button" class="button small" onClick={() => setConfirms(person)}>
                    {words.confirmMail}
                    <span class="hidden">: {person.name}</span>
                  </button>
                )}
                {person.secondFactor && (
                  <button type="button" class="button small" onClick={() => setResets(person)}>
                    {words.reset}
                    <span class="hidden">: {person.name}</span>
                  </button>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
      {confirms !== undefined && (
        <FormDialog
          title={words.confirmMail}
          submit={words.confirmMail}
          onClose={() => setConfirms(undefined)}
          onSubmit={async () => {
            await confirmMail(confirms.id)
            setConfirms(undefined)
            await client.invalidateQueries({ queryKey: ['people'] })
          }}
        >
          <p>{words.confirmMailText(confirms.mail)}</p>
        </FormDialog>
      )}
      {resets !== undefined && (
        <FormDialog
          title={words.resetTitle(resets.name)}
          submit={words.reset}
          isBad
          onClose={close}
          onSubmit={async () => {
            await resetSecondFactors(resets.id)
            close()
            announce(words.resetDone(resets.name))
            await client.invalidateQueries({ queryKey: ['people'] })
          }}
        >
          <p>{words.resetText}</p>
        </FormDialog>
      )}
    </>
  )
}
