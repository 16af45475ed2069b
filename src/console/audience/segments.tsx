import type { NewSegment, Segment, SegmentConditions } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { SelectField, TextField } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import { useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { done, ListSection, type Outcome, type Question, Row, useChanges } from '../settings/section.tsx'
import { Button } from '../ui.tsx'
import { usePolled } from '../use-read.ts'
import { number } from '../wording.ts'
import { common, segments as words } from '../words.ts'

const VIP = { any: undefined, vip: true, others: false } as const
const VIPS = Object.keys(VIP) as (keyof typeof VIP)[]

/** Saved segments. Everyone who may mark people may change them. */
export default function Segments() {
  const { id: organizationId, may } = useOrganization()
  const { query } = useUrlQuery()
  const changes = useChanges(['segments', organizationId], ['people', organizationId])
  const segments = usePolled(['segments', organizationId], (options) =>
    call('listSegments', { organizationId }, options),
  )
  const mayChange = may('audience:mark')
  const { show, add, edit, remove } = useSegmentChanges()
  return (
    <ListSection
      title={words.title}
      hint={words.hint}
      changes={changes}
      add={mayChange && add}
      addKind=""
      read={segments}
      lines={2}
      empty={<p class="quiet">{words.none}</p>}
      row={(segment) => (
        <Row
          name={<bdi>{segment.name}</bdi>}
          about={describe(segment.conditions)}
          of={segment.name}
          controls={
            <Button
              kind="small"
              of={segment.name}
              aria-pressed={query.segment === segment.id}
              onClick={() => show(segment.id)}
            >
              {words.show}
            </Button>
          }
          actions={[
            mayChange && { text: words.edit, ask: edit(segment) },
            mayChange && { text: words.delete, kind: 'plain', change: () => remove(segment) },
          ]}
        />
      )}
    />
  )
}

/** The actions on segments: show the people of one, or create, edit or delete one. */
function useSegmentChanges() {
  const { id: organizationId } = useOrganization()
  const { query, setQuery } = useUrlQuery()
  const show = (segment: string | undefined): void => setQuery({ segment, offset: undefined, after: undefined })
  const create = async (body: NewSegment, announcement: string): Promise<Outcome> => {
    const { id } = await call('createSegment', { organizationId, body })
    show(id)
    return { announcement }
  }
  const add: Question = {
    title: words.add,
    submit: common.save,
    fields: <Fields />,
    run: (form) => create(toSegment(form), words.added),
  }
  const edit = (segment: Segment): Question => ({
    title: words.edit,
    submit: common.save,
    fields: <Fields segment={segment} />,
    run: (form) =>
      done(call('updateSegment', { organizationId, segmentId: segment.id, body: toSegment(form) }), words.changed),
  })
  const remove = async ({ id, name, conditions }: Segment): Promise<Outcome> => {
    await call('deleteSegment', { organizationId, segmentId: id })
    if (query.segment === id) show(undefined)
    // Undo instead of confirmation: the segment can be recreated exactly.
    const undo: Question = {
      title: words.deleted({ name }),
      submit: common.undo,
      run: () => create({ name, conditions }, words.added),
    }
    return { question: undo }
  }
  return { show, add, edit, remove }
}

function describe({ vip, valueAbove, noPurchaseForDays, birthdayWithinDays }: SegmentConditions): string {
  return [
    ...(vip === undefined ? [] : [vip ? words.isVip : words.isNoVip]),
    ...(valueAbove === undefined ? [] : [words.isAbove({ value: number(valueAbove) })]),
    ...(noPurchaseForDays === undefined ? [] : [words.isQuiet({ days: noPurchaseForDays })]),
    ...(birthdayWithinDays === undefined ? [] : [words.isBirthday({ days: birthdayWithinDays })]),
  ].join(' · ')
}

function Fields({ segment }: { segment?: Segment }) {
  const { vip, valueAbove, noPurchaseForDays, birthdayWithinDays } = segment?.conditions ?? {}
  const days = { type: 'number', min: 1, step: 1, inputMode: 'numeric' } as const
  return (
    <>
      <TextField label={words.name} name="name" required autofocus maxLength={200} value={segment?.name} />
      <SelectField
        label={words.who}
        name="vip"
        values={VIPS}
        selected={VIPS.find((name) => VIP[name] === vip) ?? 'any'}
        textOf={(name) => words.whos[name]}
      />
      <TextField label={words.valueAbove} name="valueAbove" type="number" step="any" value={valueAbove} />
      <TextField label={words.noPurchase} name="noPurchaseForDays" max={3650} {...days} value={noPurchaseForDays} />
      <TextField label={words.birthday} name="birthdayWithinDays" max={366} {...days} value={birthdayWithinDays} />
    </>
  )
}

/** Reads the segment from the form. Throws a message if it has no condition. */
function toSegment(form: FormData): NewSegment {
  const vip = VIP[textIn(form, 'vip') as keyof typeof VIP]
  const conditions: SegmentConditions = vip === undefined ? {} : { vip }
  for (const name of ['valueAbove', 'noPurchaseForDays', 'birthdayWithinDays'] as const) {
    const text = textIn(form, name)
    if (text !== '') conditions[name] = Number(text)
  }
  if (Object.keys(conditions).length === 0) throw new Error(words.noCondition)
  return { name: textIn(form, 'name'), conditions }
}
