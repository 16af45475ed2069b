import type { OperatorToken } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { TextField } from '../fields.tsx'
import { CopyField, textIn } from '../forms.tsx'
import { useOrganization } from '../organization.ts'
import { formatInstant } from '../times.ts'
import { Note } from '../ui.tsx'
import { useNow } from '../use-now.ts'
import { usePolled } from '../use-read.ts'
import { settings as words } from '../words.ts'
import { ExpiresField, expiryIn, isOver, LifetimeText } from './lifetime.tsx'
import { done, ListSection, type Question, Row, useChanges } from './section.tsx'

/** Tokens with which programs and people operate the server from the command line. */
export function OperatorTokens() {
  const { timeZone } = useOrganization()
  const nowMs = useNow()
  const add: Question = {
    title: words.newToken,
    submit: words.issue,
    fields: (
      <>
        <TextField label={words.name} hint={words.tokenNameHint} name="name" required maxLength={64} autofocus />
        <ExpiresField timeZone={timeZone} />
      </>
    ),
    run: async (form) => {
      const body = { name: textIn(form, 'name'), ...expiryIn(form, timeZone) }
      const { token } = await call('issueOperatorToken', { body })
      const children = <CopyField label={words.operatorToken} value={token} hint={words.secretHint} />
      return { secret: { title: words.tokenReady, lead: words.keyLead, children } }
    },
  }
  return (
    <ListSection
      title={words.operatorTokens}
      hint={words.operatorTokensHint}
      changes={useChanges(['operator-tokens'])}
      add={add}
      addKind=""
      read={usePolled(['operator-tokens'], (options) => call('listOperatorTokens', {}, options))}
      row={(token) => (
        <Row
          name={token.name}
          about={words.since({ day: formatInstant(token.createdAt, timeZone, 'date') })}
          of={token.name}
          actions={!isOver(token, nowMs) && [{ text: words.revoke, ask: revoke(token) }]}
        >
          <LifetimeText of={token} nowMs={nowMs} />
        </Row>
      )}
    />
  )
}

const revoke = ({ name }: OperatorToken): Question => ({
  title: words.revokeTitle({ name }),
  submit: words.revoke,
  isBad: true,
  fields: (
    <Note kind="warn">
      <p>{words.revokeToken}</p>
    </Note>
  ),
  run: () => done(call('revokeOperatorToken', { name }), words.revoked),
})
