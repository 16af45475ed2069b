import type { ComponentChildren, InputHTMLAttributes, Ref, TextareaHTMLAttributes } from 'preact'
import { zoneName } from './times.ts'
import { Field } from './ui.tsx'

interface FieldProps {
  label: string
  hint?: ComponentChildren
  problem?: string | undefined
}

/** A single-line field; `input` is passed to the input. */
export function TextField({ label, hint, problem, ...input }: FieldProps & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(attributes) => <input {...attributes} {...input} />}
    </Field>
  )
}

type TextAreaProps = FieldProps & { area?: Ref<HTMLTextAreaElement> } & TextareaHTMLAttributes<HTMLTextAreaElement>

/** A multi-line field; other attributes are passed to the text area, and `area` is its ref. */
export function TextArea({ label, hint, problem, area, ...attributes }: TextAreaProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(field) => <textarea ref={area} {...field} {...attributes} />}
    </Field>
  )
}

interface SelectFieldProps<Value> extends FieldProps {
  name: string
  values: readonly Value[]
  textOf: (value: Value) => string
  selected?: Value
}

/** A select that starts with `selected`, or else with the first option. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { label, hint, name, values, textOf, selected } = props
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <select {...attributes} name={name}>
          {values.map((value) => (
            <option key={value} value={value} selected={value === selected}>
              {textOf(value)}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** A group of radio buttons. The choice takes effect when the form is submitted. */
export function RadioField<Value extends string>(
  props: SelectFieldProps<Value> & { aboutOf?: (value: Value) => string },
) {
  const { label, name, values, textOf, aboutOf, selected } = props
  return (
    <fieldset class="form">
      <legend class="label">{label}</legend>
      {values.map((value) => (
        <label key={value} class="check">
          <input type="radio" name={name} value={value} defaultChecked={value === selected} />
          <span>
            {textOf(value)}
            {aboutOf && <span class="quiet small-text"> {aboutOf(value)}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

type CheckFieldProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'onChange'> & {
  children: ComponentChildren
  onCheck?: (checked: boolean) => unknown
}

/** A checkbox with its text; other attributes are passed to the input. */
export const CheckField = ({ children, onCheck, ...input }: CheckFieldProps) => (
  <label class="check">
    <input type="checkbox" {...input} onChange={(event) => onCheck?.(event.currentTarget.checked)} />
    {children}
  </label>
)

/** A select of time zones. It includes the current zone even if this browser does not know it. */
export function ZoneField({ zone, ...field }: FieldProps & { name: string; zone: string }) {
  const known = Intl.supportedValuesOf('timeZone')
  const zones = known.includes(zone) ? known : [zone, ...known]
  return <SelectField {...field} values={zones} textOf={zoneName} selected={zone} />
}

interface ChoiceProps<Value> {
  label: string
  /** True if only screen readers get the label. */
  isBare?: boolean
  value: Value
  options: readonly (readonly [value: Value, text: string])[]
  onChoose: (value: Value) => void
}

/** A select that takes effect immediately, such as a list filter. */
export function Choice<Value extends string>({ label, isBare, value, options, onChoose }: ChoiceProps<Value>) {
  return (
    <label>
      <span class={isBare ? 'hidden' : 'label'}>{label}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value as Value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
