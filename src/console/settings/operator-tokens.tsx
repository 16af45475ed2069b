import type { OperatorToken } from '../../interface/access.ts'
import { issueOperatorToken, listOperatorTokens, revokeOperatorToken } from '../api.ts'
import { TextField } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import { Row } from '../list.tsx'
import { useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { Note } from '../ui.tsx'
import { useNow } from '../use-now.ts'
import { usePolled } from '../use-read.ts'
import { ExpiresField, expiryIn, isOver, LifetimeText } from './lifetime.tsx'
import { Actions, AddButton, ListSection, type Question, useChanges } from './section.tsx'
import { words } from './words.ts'

/** The tokens by which programs and people operate the server from the command line. */
export function OperatorTokens() {
  const { timeZone } = useOrganization()
  const nowMs = useNow()
  const changes = useChanges(['operator-tokens'])
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
      const { token } = await issueOperatorToken({ name: textIn(form, 'name'), ...expiryIn(form, timeZone) })
      const fields = [{ label: words.operatorToken, value: token, hint: words.secretHint }]
      return { secret: { title: words.tokenReady, lead: words.keyLead, fields } }
    },
  }
  const actionsOf = (token: OperatorToken) => (
    <Actions of={token.name} all={[{ text: words.revoke, run: () => changes.ask(revoke(token)) }]} />
  )
  return (
    <ListSection
      title={words.operatorTokens}
      hint={words.operatorTokensHint}
      changes={changes}
      add={<AddButton kind="" text={words.newToken} onClick={() => changes.ask(add)} />}
      read={usePolled(['operator-tokens'], listOperatorTokens)}
      keyOf={({ name }) => name}
      row={(token) => (
        <Row name={token.name} actions={!isOver(token, nowMs) && actionsOf(token)}>
          <span class="quiet small-text">{words.since(formatInstant(token.createdAt, timeZone, 'date'))}</span>
          <LifetimeText of={token} nowMs={nowMs} />
        </Row>
      )}
    />
  )
}

const revoke = ({ name }: OperatorToken): Question => ({
  title: words.revokeTitle(name),
  submit: words.revoke,
  isBad: true,
  fields: (
    <Note kind="warn">
      <p>{words.revokeToken}</p>
    </Note>
  ),
  run: async () => {
    await revokeOperatorToken(name)
    return { said: words.revoked }
  },
})
