import type { RefObject } from 'preact'
import { type ApiDocument, allErrors } from './document.ts'
import { Code, ErrorTable, Field } from './parts.tsx'
import { serviceUrl } from './try.ts'

export function Introduction({ document, heading }: { document: ApiDocument; heading: RefObject<HTMLHeadingElement> }) {
  const { tags, info, components } = document
  return (
    <>
      <h1 id="operation-heading" ref={heading} tabIndex={-1}>
        How to call
      </h1>
      <p>{info.description}</p>
      <p>
        The list has every operation, with a recorded request and its answer, the errors, the same call for curl and for
        the client, and a form that makes the call.
      </p>
      <h2>Signing</h2>
      <p>
        A call under /v1 has the id of a key in <code>x-api-key</code>, the time in <code>x-date</code>, the HMAC-SHA256
        of exactly that text with the key's secret in <code>x-signature</code>, and version 1 in{' '}
        <code>x-api-version</code>. A date is valid for 30 seconds.
      </p>
      <dl>
        {['apiKey', 'date', 'signature', 'version'].map((name) => (
          <Field key={name} name={components.securitySchemes[name]?.name}>
            {components.securitySchemes[name]?.description}
          </Field>
        ))}
      </dl>
      <Code label="In bash" text={bashOf(serviceUrl())} />
      <Code label="In TypeScript, with the client" text={clientOf(serviceUrl())} />
      <p>For calls under /api, send the token of an operator or a person in the header Authorization: Bearer.</p>
      <h2>The parts</h2>
      <dl>
        {tags.map(({ name, description }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
      <h2>Errors</h2>
      <p>
        An error has its code in the header <code>x-error-code</code>. Any call may also be answered 413, 415, 429 or
        5xx. For 429 and 503, Retry-After says when to call again.
      </p>
      <ErrorTable errors={allErrors(document)} label="Every error" />
    </>
  )
}

const bashOf = (base: string): string => `key=key_… secret=…
date=$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')
signature=$(printf %s "$date" | openssl dgst -sha256 -hmac "$secret" -r | cut -d' ' -f1)
curl -sS '${base}/v1/workspaces' \\
  -H "x-api-key: $key" -H "x-date: $date" -H "x-signature: $signature" -H 'x-api-version: 1'
`

const clientOf = (base: string): string => `import { Greenroom, GreenroomApi } from 'greenroom/client'

const client = new Greenroom({ baseUrl: '${base}/v1', key, secret })
const api = new GreenroomApi({ baseUrl: '${base}/api', token })
`
