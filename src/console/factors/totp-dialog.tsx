import { ErrorBoundary, lazy } from 'preact-iso'
import type { AddedTotp, TotpSetup } from '../../interface/second-factors.ts'
import { CopyField, FormDialog } from '../forms.tsx'
import { finishTotp } from './calls.ts'
import { CodeField, codeIn } from './code-field.tsx'
import { words } from './words.ts'

const Qr = lazy(() => import('./qr.tsx'))

/** Shows a new secret, and takes the first code that the app makes of it. */
export function TotpDialog({
  setup,
  onDone,
  onClose,
}: {
  setup: TotpSetup
  onDone: (added: AddedTotp) => Promise<void>
  onClose: () => void
}) {
  return (
    <FormDialog
      title={words.setUpTotp}
      submit={words.finish}
      onClose={onClose}
      onSubmit={async (form) => onDone(await finishTotp({ code: codeIn(form) }))}
    >
      <p>{words.scan}</p>
      <ErrorBoundary>
        <Qr text={setup.uri} />
      </ErrorBoundary>
      <CopyField label={words.secret} value={setup.secret} />
      <CodeField />
    </FormDialog>
  )
}
