import type { Reply } from '../../interface/generated/types.ts'
import { CheckField, Choice, TextArea, TextField } from '../fields.tsx'
import { useOrganization } from '../organization.ts'
import { zoneName } from '../times.ts'
import { Button, Field, type FieldAttributes } from '../ui.tsx'
import { posts as postWords, superpowers as words } from '../words.ts'
import { toInstant, toWallTime } from '../zoned.ts'
import { ACTIONS, type CommonForm, emptyReply, type FormField, PARTS } from './superpower-form.ts'

type Name = keyof CommonForm

interface Props {
  form: CommonForm
  problems: Partial<Record<Name, string>>
  onChange: <One extends Name>(name: One, value: CommonForm[One]) => void
  groups: GroupsProps
}

/** The superpower's form, with problems beside the fields. */
export function SuperpowerFields({ groups, ...props }: Props) {
  // Without an action there is nothing to match words against.
  const ofGroup = PARTS.group.filter(({ name }) => name !== 'values' || props.form.action !== '')
  return (
    <>
      <Fields {...props} fields={PARTS.before} />
      <fieldset class="form">
        <legend>{words.group({ place: groups.place + 1 })}</legend>
        <Groups {...groups} />
        <Fields {...props} fields={ofGroup.filter(({ isFolded }) => !isFolded)} />
        <details>
          <summary>{words.limits}</summary>
          <div class="form">
            <Fields {...props} fields={ofGroup.filter(({ isFolded }) => isFolded)} />
          </div>
        </details>
      </fieldset>
      <Fields {...props} fields={PARTS.behind} />
    </>
  )
}

interface GroupsProps {
  /** The groups' names, in order. */
  names: readonly string[]
  /** The index of the selected group. */
  place: number
  onShow: (place: number) => void
  onAdd: () => void
  onRemove: () => void
  /** Moves the selected group. */
  onMove: (to: number) => void
}

/** Selects, adds, removes and reorders groups. */
function Groups({ names, place, onShow, onAdd, onRemove, onMove }: GroupsProps) {
  return (
    <div class="actions">
      {names.length > 1 && (
        <>
          <Choice
            label={words.shownGroup}
            isBare
            value={String(place)}
            options={names.map(
              (name, index) =>
                [String(index), `${words.group({ place: index + 1 })}${name === '' ? '' : `: ${name}`}`] as const,
            )}
            onChoose={(value) => onShow(Number(value))}
          />
          <Button kind="small" disabled={place === 0} onClick={() => onMove(place - 1)}>
            {words.earlier}
          </Button>
          <Button kind="small" disabled={place === names.length - 1} onClick={() => onMove(place + 1)}>
            {words.later}
          </Button>
          <Button kind="small" onClick={onRemove}>
            {words.removeGroup}
          </Button>
        </>
      )}
      <Button kind="small" onClick={onAdd}>
        {words.addGroup}
      </Button>
    </div>
  )
}

interface FieldsProps extends Omit<Props, 'groups'> {
  fields: readonly FormField[]
}

function Fields({ form, problems, onChange, fields }: FieldsProps) {
  return (
    <>
      {fields.map(({ name, kind, hint }) => {
        const shared = { name, hint, problem: problems[name] }
        if (kind === 'flag') {
          return (
            <Flag key={name} {...shared} checked={form[name] === true} onChange={(value) => onChange(name, value)} />
          )
        }
        if (kind === 'replies') {
          const replies = form[name] as readonly Reply[]
          return <Replies key={name} {...shared} replies={replies} onChange={(value) => onChange(name, value)} />
        }
        if (kind === 'instant') {
          return (
            <Instant key={name} {...shared} value={String(form[name])} onChange={(value) => onChange(name, value)} />
          )
        }
        return (
          <Field key={name} label={words.fields[name]} hint={hint} problem={problems[name]}>
            {(attributes) => <Control {...{ name, kind, attributes, onChange }} value={String(form[name])} />}
          </Field>
        )
      })}
    </>
  )
}

interface OneProps<Value> {
  name: Name
  hint: string | undefined
  problem: string | undefined
  onChange: (value: Value) => void
}

const Flag = ({ name, problem, checked, onChange }: OneProps<boolean> & { checked: boolean }) => (
  <div>
    <CheckField checked={checked} onCheck={onChange}>
      {words.fields[name]}
    </CheckField>
    {problem !== undefined && <p class="problem help">{problem}</p>}
  </div>
)

/** An instant, in the organization's time zone. Incomplete input stays text. */
function Instant({ name, problem, value, onChange }: OneProps<string> & { value: string }) {
  const { timeZone } = useOrganization()
  const isText = value !== '' && !WHOLE_INSTANT.test(value)
  return (
    <TextField
      label={words.fields[name]}
      hint={isText ? undefined : postWords.editor.timeZone({ zone: zoneName(timeZone) })}
      problem={problem}
      type={isText ? 'text' : 'datetime-local'}
      value={isText || value === '' ? value : toWallTime(value, timeZone)}
      onInput={({ currentTarget: input }) => onChange(isText ? input.value : (toInstant(input.value, timeZone) ?? ''))}
    />
  )
}
const WHOLE_INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/i

/** The reply texts of one kind. There is always at least one field. */
function Replies({ name, hint, problem, replies, onChange }: OneProps<Reply[]> & { replies: readonly Reply[] }) {
  const shown = replies.length === 0 ? [emptyReply(name)] : replies
  const isOne = shown.length === 1
  const labelOf = (index: number): string => `${words.fields[name]}${index === 0 ? '' : ` (${index + 1})`}`
  return (
    <>
      {shown.map((reply, index) => (
        <div key={index} class="field">
          <Field
            label={labelOf(index)}
            hint={index === 0 && !isOne ? hint : undefined}
            problem={index === 0 ? problem : undefined}
          >
            {(attributes) => (
              <textarea
                {...attributes}
                class="short"
                dir="auto"
                value={reply.text ?? ''}
                onInput={(event) => onChange(shown.with(index, { ...reply, text: event.currentTarget.value }))}
              />
            )}
          </Field>
          {!isOne && (
            <Button kind="small plain" of={labelOf(index)} onClick={() => onChange(shown.toSpliced(index, 1))}>
              {words.removeReply}
            </Button>
          )}
        </div>
      ))}
      {(!isOne || shown[0]!.text !== '') && (
        <div class="actions">
          <Button kind="small" of={words.fields[name]} onClick={() => onChange([...shown, emptyReply(name)])}>
            {words.addReply}
          </Button>
        </div>
      )}
    </>
  )
}

interface ControlProps extends Pick<FormField, 'name' | 'kind'>, Pick<Props, 'onChange'> {
  value: string
  attributes: FieldAttributes
}

function Control({ name, kind, value, attributes, onChange }: ControlProps) {
  const change = (event: { currentTarget: { value: string } }): void => onChange(name, event.currentTarget.value)
  if (kind === 'choice') {
    const isKnown = value === '' || ACTIONS.some((action) => action === value)
    return (
      <select {...attributes} value={value} onChange={change}>
        <option value="">{words.always}</option>
        {ACTIONS.map((action) => (
          <option key={action} value={action}>
            {words.actions[action]}
          </option>
        ))}
        {!isKnown && <option value={value}>{value}</option>}
      </select>
    )
  }
  if (kind === 'text' || kind === 'lines') {
    // Lines are read on change rather than on input, because empty lines are dropped.
    const onType = kind === 'lines' ? { onChange: change } : { onInput: change }
    return <textarea {...attributes} class="short" dir="auto" value={value} {...onType} />
  }
  const isNumber = kind === 'number' || kind === 'share' || kind === 'hours'
  return (
    <input
      {...attributes}
      type={isNumber ? 'number' : 'text'}
      min={kind === 'number' ? 1 : isNumber ? 0 : undefined}
      max={kind === 'share' ? 1 : undefined}
      step={kind === 'share' || kind === 'hours' ? 'any' : undefined}
      dir="auto"
      value={value}
      onInput={change}
    />
  )
}

interface JsonFieldProps {
  json: string
  /** Why the text is not a superpower, or what the service rejected. */
  problem: string | undefined
  onChange: (json: string) => void
}

/** The whole superpower as JSON, below the form. */
export function JsonField({ json, problem, onChange }: JsonFieldProps) {
  return (
    <details open={problem !== undefined}>
      <summary>{words.json}</summary>
      <TextArea
        label={words.json}
        hint={words.jsonHint}
        problem={problem}
        class="json"
        spellcheck={false}
        rows={14}
        value={json}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </details>
  )
}
