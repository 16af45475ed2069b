import type { Organization } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { TextField } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import { useList } from '../list.tsx'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { formatInstant } from '../times.ts'
import { settings as words } from '../words.ts'
import { type Action, done, ListSection, type Question, Row, useChanges } from './section.tsx'

const add: Question = {
  title: words.addOrganization,
  submit: words.add,
  fields: <TextField label={words.name} name="name" required maxLength={200} autofocus />,
  run: (form) => done(call('createOrganization', { body: { name: textIn(form, 'name') } }), words.saved),
}

const setActive = ({ id: organizationId }: Organization, active: boolean, announcement?: string) =>
  done(call('updateOrganization', { organizationId, body: { active } }), announcement)

const stop = (one: Organization): Question => ({
  title: words.stopTitle({ name: one.name }),
  submit: words.stop,
  isBad: true,
  text: words.stopText,
  run: () => setActive(one, false),
})

/** The server's organizations, which can be deactivated and activated. */
export function Organizations() {
  const { id: openId, timeZone } = useOrganization()
  const actionOf = (one: Organization): Action =>
    one.active
      ? { text: words.stop, kind: 'plain', disabled: one.id === openId, ask: stop(one) }
      : { text: words.start, change: () => setActive(one, true, words.saved) }
  return (
    <ListSection
      title={words.organizations}
      changes={useChanges(['organizations'], ['me'])}
      add={add}
      addKind=""
      read={useList(['organizations'], (query, options) => call('listOrganizations', { query }, options))}
      row={(one) => (
        <Row
          isStrong={false}
          name={
            <a href={hrefOf(one.id, 'settings', ['organization'])}>
              <bdi>{one.name}</bdi>
            </a>
          }
          about={`${one.id} · ${words.since({ day: formatInstant(one.createdAt, timeZone, 'date') })}`}
          of={one.name}
          actions={[actionOf(one)]}
        >
          {!one.active && <span class="state-bad">{words.stopped}</span>}
        </Row>
      )}
    />
  )
}
