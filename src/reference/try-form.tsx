import { useState } from 'preact/hooks'
import { bodyOf, type Operation } from './document.ts'
import { Code, toText } from './parts.tsx'
import { type Caller, callerOf } from './samples.ts'
import { type Credentials, type Tried, tryOperation } from './try.ts'

type CredentialInputs = [name: keyof Credentials, label: string, type: string][]

const KEY: CredentialInputs = [
  ['key', 'Key ID', 'text'],
  ['secret', 'Secret', 'password'],
]

/** The fields for the credentials of each kind of caller. */
const CREDENTIAL_INPUTS: Record<Caller, CredentialInputs> = {
  key: KEY,
  earlierKey: KEY,
  token: [['token', 'Operator or personal token', 'password']],
}

interface Props {
  operation: Operation
  credentials: Credentials
  onCredentials: (credentials: Credentials) => void
}

/** Shows a form that calls an operation, and the response below it. */
export function Try({ operation, credentials, onCredentials }: Props) {
  const [bodyType, content] = bodyOf(operation)
  const isFile = bodyType !== undefined && content?.example === undefined && bodyType !== 'application/json'
  const [values, setValues] = useState<Record<string, string>>({})
  const [body, setBody] = useState(content?.example === undefined ? '' : toText(content.example))
  const [file, setFile] = useState<File>()
  const [answer, setAnswer] = useState<Tried | string>()
  const [isRunning, setRunning] = useState(false)

  async function send(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    setRunning(true)
    setAnswer(undefined)
    try {
      const input = {
        values,
        body: bodyType === undefined ? undefined : isFile ? file : body,
        bodyType: (isFile && file?.type) || bodyType,
      }
      setAnswer(await tryOperation(operation, input, credentials))
    } catch (error) {
      setAnswer(error instanceof Error ? error.message : String(error))
    } finally {
      setRunning(false)
    }
  }

  return (
    <form onSubmit={send} autocomplete="off">
      <CredentialFields caller={callerOf(operation)} credentials={credentials} onCredentials={onCredentials} />
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
      {operation.method === 'GET' ? null : <p>This sends a real request, which changes data.</p>}
      <button type="submit" class="send" disabled={isRunning}>
        Send
      </button>
      <Answer answer={answer} />
    </form>
  )
}

function CredentialFields({ caller, credentials, onCredentials }: Omit<Props, 'operation'> & { caller: Caller }) {
  return (
    <fieldset>
      <legend>Credentials</legend>
      <p class="quiet">
        Your input stays in this page, is only used to sign calls in your browser, and is gone after a reload.
      </p>
      {caller === 'token' ? <p class="quiet">Without a token, the call uses the session of this browser.</p> : null}
      {CREDENTIAL_INPUTS[caller].map(([name, label, type]) => (
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
  )
}

/** Shows the response of the service, or the reason why there is none. */
function Answer({ answer }: { answer: Tried | string | undefined }) {
  return (
    <>
      <div aria-live="polite">
        {typeof answer === 'string' ? <p class="problem">{answer}</p> : null}
        {typeof answer === 'object' ? (
          <p>
            Answered <span class="status">{answer.status}</span> in {Math.round(answer.durationMs)} ms
          </p>
        ) : null}
      </div>
      {typeof answer === 'object' ? (
        <>
          <Code label="Headers" text={answer.headers.map(([name, value]) => `${name}: ${value}\n`).join('')} />
          <Code label="Response body" text={answer.body} />
        </>
      ) : null}
    </>
  )
}
