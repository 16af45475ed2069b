import type { Organization } from '../../interface/access.ts'
import { createOrganization, listOrganizations, updateOrganization } from '../api.ts'
import { TextField } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import { useList } from '../list.tsx'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { Actions, AddButton, ListSection, type Question, useChanges } from './section.tsx'
import { words } from './words.ts'

const add: Question = {
  title: words.addOrganization,
  submit: words.add,
  fields: <TextField label={words.name} name="name" required maxLength={200} autofocus />,
  run: async (form) => {
    await createOrganization(textIn(form, 'name'))
    return { said: words.saved }
  },
}

const stop = ({ id, name }: Organization): Question => ({
  title: words.stopTitle(name),
  submit: words.stop,
  isBad: true,
  text: words.stopText,
  run: async () => {
    await updateOrganization(id, { active: false })
    return {}
  },
})

/** The organizations of the server; each is deactivated and activated again. */
export function Organizations() {
  const { id: openId, timeZone } = useOrganization()
  const changes = useChanges(['organizations'], ['me'])
  const { busy, ask, change } = changes
  const start = ({ id }: Organization) =>
    change(async () => {
      await updateOrganization(id, { active: true })
      return { said: words.saved }
    })
  return (
    <ListSection
      title={words.organizations}
      changes={changes}
      add={<AddButton kind="" text={words.addOrganization} onClick={() => ask(add)} />}
      read={useList(['organizations'], ({ after }, options) => listOrganizations(after, options))}
      keyOf={({ id }) => id}
      row={(one) => (
        <>
          <div class="row-text">
            <a href={hrefOf(one.id, 'settings', ['organization'])}>
              <bdi>{one.name}</bdi>
            </a>
            <span class="quiet small-text">
              {one.id} · {words.since(formatInstant(one.createdAt, timeZone, 'date'))}
            </span>
            {!one.active && <span class="state-bad">{words.stopped}</span>}
          </div>
          <div class="actions">
            <Actions
              of={one.name}
              all={[
                one.active
                  ? { text: words.stop, isPlain: true, disabled: one.id === openId, run: () => ask(stop(one)) }
                  : { text: words.start, disabled: busy, run: () => start(one) },
              ]}
            />
          </div>
        </>
      )}
    />
  )
}
