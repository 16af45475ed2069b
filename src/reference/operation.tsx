import type { RefObject } from 'preact'
import { type ApiDocument, errorsOf, type Operation, type Parameter, successOf, typeName } from './document.ts'
import { Code, ErrorTable, Field, Fields, toText } from './parts.tsx'
import { clientCallOf, curlOf } from './samples.ts'
import { type Credentials, serviceUrl } from './try.ts'
import { Try } from './try-form.tsx'

interface Props {
  operation: Operation
  document: ApiDocument
  heading: RefObject<HTMLHeadingElement>
  credentials: Credentials
  onCredentials: (credentials: Credentials) => void
}

export function OperationPage({ operation, document, heading, credentials, onCredentials }: Props) {
  const { operationId, summary, description, method, path, parameters, requestBody } = operation
  const success = successOf(operation, document)
  const bodies = Object.entries(requestBody?.content ?? {})
  const permission = [operation['x-permission']].flat().join(' or ')
  return (
    <>
      <h1 id="operation-heading" ref={heading} tabIndex={-1}>
        {operationId}
      </h1>
      <p class="place">
        <strong>{method}</strong> <code>{path}</code>
      </p>
      <p>{summary}</p>
      <p>{description}</p>
      <p class="quiet">Permission: {permission}</p>
      {operation['x-needs-confirmation'] ? (
        <p class="quiet">A session needs a confirmation by its person within the last ten minutes.</p>
      ) : null}
      {parameters.length === 0 ? null : (
        <>
          <h2>Parameters</h2>
          <Parameters parameters={parameters} />
        </>
      )}
      {bodies.length === 0 ? null : (
        <>
          <h2>Body</h2>
          <p class="quiet">{bodies.map(([type]) => type).join(', ')}</p>
          <Fields schema={bodies[0]![1].schema} document={document} />
        </>
      )}
      <h2>Request</h2>
      <Code label="curl" text={curlOf(operation, serviceUrl())} />
      <Code label="greenroom/client" text={clientCallOf(operation)} />
      <h2>Answer</h2>
      <p>
        <span class="status">{success.status}</span> {success.type}
      </p>
      {success.content.example === undefined ? (
        <p class="quiet">{success.description}</p>
      ) : (
        <Code label="A response" text={toText(success.content.example)} />
      )}
      <Fields schema={success.content.schema} document={document} />
      <dl class="fields">
        {success.headers.map(([name, purpose]) => (
          <Field key={name} name={name} type="header">
            {purpose}
          </Field>
        ))}
      </dl>
      <h2>Errors</h2>
      <ErrorTable errors={errorsOf(operation, document)} label="Errors" />
      <h2>Try it</h2>
      <Try operation={operation} credentials={credentials} onCredentials={onCredentials} />
    </>
  )
}

function Parameters({ parameters }: { parameters: Parameter[] }) {
  return (
    <dl class="fields">
      {parameters.map(({ name, in: where, required, description, schema, example }) => (
        <Field key={where + name} name={name} type={`${where}, ${typeName(schema)}`} required={required}>
          {description === undefined ? null : <p>{description}</p>}
          {example === undefined ? null : (
            <p class="quiet">
              Example: <code>{String(example)}</code>
            </p>
          )}
        </Field>
      ))}
    </dl>
  )
}
