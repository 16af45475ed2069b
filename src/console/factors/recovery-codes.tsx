import { saveFile } from '../audience/save-file.ts'
import { ShownOnce } from '../forms.tsx'
import { announce } from '../ui.tsx'
import { factorWords as words, formWords } from '../words.ts'

/** The recovery codes, which the service shows this once. */
export function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const text = codes.join('\n')
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      announce(formWords.copied)
    } catch {
      // Over plain http a page may not write to the clipboard; the codes can be selected.
      announce(formWords.copyYourself)
    }
  }
  return (
    <ShownOnce title={words.codesTitle} lead={words.codesReady} onClose={onClose}>
      <ul class="recovery-codes" aria-label={words.recovery}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div class="actions">
        <button type="button" class="button" onClick={() => void copy()}>
          {words.copyCodes}
        </button>
        <button
          type="button"
          class="button"
          onClick={() => saveFile(words.codesFile, `${words.codesHead}\n\n${text}\n`, 'text/plain')}
        >
          {words.downloadCodes}
        </button>
      </div>
    </ShownOnce>
  )
}
