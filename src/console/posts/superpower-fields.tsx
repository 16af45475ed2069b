import { isDay } from '../days.ts'
import { TextArea } from '../fields.tsx'
import { Field, type FieldAttributes } from '../ui.tsx'
import { ACTIONS, type CommonForm, FIELDS, type FormField } from './superpower-form.ts'
import { superpowerWords as words } from './words.ts'

type Name = keyof CommonForm

interface Props {
  form: CommonForm
  problems: Partial<Record<Name, string>>
  onChange: <One extends Name>(name: One, value: CommonForm[One]) => void
}

/** The common form of a superpower, with what was refused beside each field. */
export function SuperpowerFields({ form, problems, onChange }: Props) {
  // Without an action there is nothing that would have words.
  const shown = FIELDS.filter(({ name }) => name !== 'values' || form.action !== '')
  return (
    <>
      {shown.map(({ name, kind, hint }) =>
        kind === 'flag' ? (
          <div key={name}>
            <label class="check">
              <input
                type="checkbox"
                checked={form[name] === true}
                onChange={(event) => onChange(name, event.currentTarget.checked)}
              />
              {words.fields[name]}
            </label>
            {problems[name] !== undefined && <p class="problem help">{problems[name]}</p>}
          </div>
        ) : (
          <Field key={name} label={words.fields[name]} hint={hint} problem={problems[name]}>
            {(attributes) => <Control {...{ name, kind, attributes, onChange }} value={String(form[name])} />}
          </Field>
        ),
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
    // The lines of words are read once they are whole: an empty one is none.
    const onType = kind === 'lines' ? { onChange: change } : { onInput: change }
    return <textarea {...attributes} class="short" dir="auto" value={value} {...onType} />
  }
  // A day that the form cannot show as one stays a text.
  const type = kind === 'line' ? 'text' : kind === 'number' ? 'number' : value === '' || isDay(value) ? 'date' : 'text'
  return (
    <input
      {...attributes}
      type={type}
      min={kind === 'number' ? 1 : undefined}
      dir="auto"
      value={value}
      onInput={change}
    />
  )
}

interface JsonFieldProps {
  json: string
  /** Says why the text is not a superpower, or what was refused of it. */
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
