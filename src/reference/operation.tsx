import type { RefObject } from 'preact'
import { useState } from 'preact/hooks'
import { type ApiDocument, errorsOf, type Operation, type Parameter, successOf, typeName } from './document.ts'
import { Code, ErrorTable, Fields, toText } from './parts.tsx'
import { type Caller, callerOf, curlOf } from './samples.ts'
import { type Credentials, serviceUrl, type Tried, tryOperation } from './try.ts'

interface Props {
  operation: Operation
  document: ApiDocument
  heading: RefObject<HTMLHeadingElement>
  credentials: Credentials
  onCredentials: (credentials: Credentials) => void
}

export function OperationPage({ operation, document, heading, credentials, onCredentials }: Props) {
  const { operationId, summary, description, method, path, parameters, requestBody } = operation
  const success = successOf(operation)
  const bodies = Object.entries(requestBody?.content ?? {})
  const [source] = operation['x-codeSamples'] ?? []
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
      {source === undefined ? null : <Code label="greenroom/client" text={source.source} />}
      <h2>Answer</h2>
      <p>
        <span class="status">{success.status}</span> {success.type}
      </p>
      {success.content.example === undefined ? (
        <p class="quiet">{success.description}</p>
      ) : (
        <Code label="An answer" text={toText(success.content.example)} />
      )}
      <Fields schema={success.content.schema} document={document} />
      {success.headers === undefined ? null : (
        <dl class="fields">
          {Object.entries(success.headers).map(([name, header]) => (
            <div key={name}>
              <dt>
                <code>{name}</code> <span class="quiet">header</span>
              </dt>
              <dd>{header.description}</dd>
            </div>
          ))}
        </dl>
      )}
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
        <div key={where + name}>
          <dt>
            <code>{name}</code>{' '}
            <span class="quiet">
              {where}, {typeName(schema)}
            </span>
            {required ? <span class="required"> required</span> : null}
          </dt>
          <dd>
            {description === undefined ? null : <p>{description}</p>}
            {example === undefined ? null : (
              <p class="quiet">
                Such as <code>{String(example)}</code>
              </p>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

const WANTED: Record<Caller, [name: keyof Credentials, label: string, type: string][]> = {
  key: [
    ['key', 'Key id', 'text'],
    ['secret', 'Secret', 'password'],
  ],
  earlierKey: [
    ['key', 'Key id', 'text'],
    ['secret', 'Secret', 'password'],
  ],
  operator: [['operatorToken', 'Operator token', 'password']],
  link: [['linkToken', 'Token of the link', 'password']],
  session: [],
  nobody: [],
}

function Try({ operation, credentials, onCredentials }: Pick<Props, 'operation' | 'credentials' | 'onCredentials'>) {
  const bodies = Object.entries(operation.requestBody?.content ?? {})
  const [bodyType, content] = bodies.find(([, { example }]) => example !== undefined) ?? bodies[0] ?? []
  const isFile = bodyType !== undefined && content?.example === undefined && bodyType !== 'application/json'
  const [values, setValues] = useState<Record<string, string>>({})
  const [body, setBody] = useState(content?.example === undefined ? '' : toText(content.example))
  const [file, setFile] = useState<File>()
  const [tried, setTried] = useState<Tried>()
  const [problem, setProblem] = useState('')
  const [isRunning, setRunning] = useState(false)
  const caller = callerOf(operation)

  async function send(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    setRunning(true)
    setProblem('')
    setTried(undefined)
    try {
      const input = {
        values,
        body: bodyType === undefined ? undefined : isFile ? file : body,
        bodyType: isFile && file !== undefined && file.type !== '' ? file.type : bodyType,
      }
      setTried(await tryOperation(operation, input, credentials))
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    } finally {
      setRunning(false)
    }
  }

  return (
    <form onSubmit={send} autocomplete="off">
      {caller === 'session' ? <p>It is sent with the session of this browser: sign in to the console first.</p> : null}
      {WANTED[caller].length === 0 ? null : (
        <fieldset>
          <legend>Who calls</legend>
          <p class="quiet">What you enter stays in this page, signs in your browser, and is gone when you reload.</p>
          {WANTED[caller].map(([name, label, type]) => (
            <label key={name}>
              {label}
              <input
                type={type}
                value={credentials[name]}
                autocomplete="off"
                spellcheck={false}
                onInput={(event) => onCredentials({ ...credentials, [name]: event.currentTarget.value.trim() })}
              />
            </label>
          ))}
        </fieldset>
      )}
      {operation.parameters.map(({ name, required, example }) => (
        <label key={name}>
          <span>
            {name}
            {required ? <span class="required"> required</span> : null}
          </span>
          <input
            value={values[name] ?? ''}
            placeholder={example === undefined ? '' : String(example)}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      {bodyType === undefined ? null : isFile ? (
        <label>
          File
          <input type="file" onChange={(event) => setFile(event.currentTarget.files?.[0])} />
        </label>
      ) : (
        <label>
          Body
          <textarea rows={8} spellcheck={false} value={body} onInput={(event) => setBody(event.currentTarget.value)} />
        </label>
      )}
      {operation.method === 'GET' ? null : <p>This makes the change: it is no rehearsal.</p>}
      <button type="submit" class="send" disabled={isRunning}>
        Send
      </button>
      <div aria-live="polite">
        {problem === '' ? null : <p class="problem">{problem}</p>}
        {tried === undefined ? null : (
          <p>
            Answered <span class="status">{tried.status}</span> in {Math.round(tried.durationMs)} ms
          </p>
        )}
      </div>
      {tried === undefined ? null : (
        <>
          <Code label="Headers" text={tried.headers.map(([name, value]) => `${name}: ${value}\n`).join('')} />
          <Code label="Body of the answer" text={tried.body} />
        </>
      )}
    </form>
  )
}
