import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type ApiDocument, type ApiError, type JsonSchema, resolve, typeName } from './document.ts'

/** Shows a block of text with a button to copy it. */
export function Code({ label, text }: { label: string; text: string }) {
  const [announcement, setAnnouncement] = useState('')
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setAnnouncement('Copied'),
      () => setAnnouncement('The browser does not allow copying: select the text'),
    )
  }
  return (
    <figure>
      <figcaption>
        <span>{label}</span>
        <span>
          <output class="quiet">{announcement}</output>
          <button type="button" onClick={copy} aria-label={`Copy: ${label}`}>
            Copy
          </button>
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
      <section tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
    </figure>
  )
}

export const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))

export function ErrorTable({ errors, label }: { errors: ApiError[]; label: string }) {
  return (
    <ul class="errors" aria-label={label}>
      {errors.map(({ status, code, body }) => (
        <li key={status + code}>
          <details>
            <summary>
              <span class="status">{status}</span> <code>{code}</code>
            </summary>
            <Code label={`The body of ${code}`} text={toText(body)} />
          </details>
        </li>
      ))}
    </ul>
  )
}

interface FieldProps {
  name: string | undefined
  type?: string
  required?: boolean | undefined
  children: ComponentChildren
}

/** Shows a field, a parameter or a header with its description. */
export const Field = ({ name, type, required = false, children }: FieldProps) => (
  <div>
    <dt>
      <code>{name}</code> <span class="quiet">{type}</span>
      {required && <span class="required"> required</span>}
    </dt>
    <dd>{children}</dd>
  </div>
)

/** Shows the fields of an object and those nested in it. */
export function Fields({ schema, document, depth = 0 }: { schema: JsonSchema; document: ApiDocument; depth?: number }) {
  const inner = innerOf(schema, document)
  const properties = Object.entries(inner.properties ?? {})
  if (properties.length === 0) return null
  return (
    <dl class="fields">
      {properties.map(([name, property]) => {
        const isNested = Object.keys(innerOf(property, document).properties ?? {}).length > 0
        return (
          <Field key={name} name={name} type={typeName(property)} required={inner.required?.includes(name)}>
            {property.description === undefined ? null : <p>{property.description}</p>}
            {isNested && depth < 4 ? (
              <Nested label={name} schema={property} document={document} depth={depth + 1} />
            ) : null}
          </Field>
        )
      })}
    </dl>
  )
}

/** Renders its content only when it is opened, because a schema may contain itself. */
function Nested(props: { label: string; schema: JsonSchema; document: ApiDocument; depth: number }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The fields of {props.label}</summary>
      {isOpen ? <Fields schema={props.schema} document={props.document} depth={props.depth} /> : null}
    </details>
  )
}

/** Returns the object in a schema: the item of a list, the value of a map, or the first alternative. */
function innerOf(schema: JsonSchema, document: ApiDocument): JsonSchema {
  const resolved = resolve(schema, document)
  if (resolved.properties !== undefined) return resolved
  const next =
    resolved.items ??
    (typeof resolved.additionalProperties === 'object' ? resolved.additionalProperties : undefined) ??
    (resolved.anyOf ?? resolved.oneOf)?.[0]
  return next === undefined ? resolved : innerOf(next, document)
}
