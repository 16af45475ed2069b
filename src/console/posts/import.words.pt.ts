import type { ImportProblemCode } from '../../interface/generated/types.ts'
import type { ImportColumn } from '../../interface/post-import.ts'
import { common } from '../words.ts'
import type { importWords as english } from './import.words.ts'
import { postWords } from './words.ts'

const { count, number } = common

const PROBLEMS: Record<ImportProblemCode, string> = {
  time_unreadable: 'Escreva o horário como 2026-12-24 18:00.',
  time_ambiguous: 'Diga acima que data é esta.',
  time_never: 'Este horário não existe lá: o relógio é adiantado nesse momento. Escolha outro.',
  time_twice:
    'Este horário ocorre duas vezes, porque o relógio é atrasado nesse momento. Acrescente o fuso, por exemplo 2026-10-25T02:30+02:00.',
  time_past: 'Este horário já passou. Escolha um no futuro ou deixe vazio.',
  channel_missing: 'Diga qual é o canal.',
  channel_unknown: 'Não há canal com este nome ou id.',
  channel_ambiguous: 'Vários canais têm este nome. Escolha o que você quer.',
  channel_forbidden: 'Você não pode escrever posts neste canal. Escolha outro.',
  channel_rounded: 'Uma planilha arredondou este id: escolha o canal.',
  text_missing: 'Escreva um texto.',
  text_too_long: 'Encurte o texto.',
  media_no_url: 'Um endereço começa com https:// ou http://.',
  media_gone: 'Este arquivo enviado não está lá, ou não está mais.',
  media_refused: 'O canal não aceita este arquivo.',
  notes_too_long: 'Encurte as notas.',
  too_many_cells: 'A linha tem mais células do que colunas: o que vem depois da última se perde. Verifique o texto.',
  characters_lost: 'Caracteres do arquivo se perderam: salve-o em UTF-8 e importe-o de novo.',
}

export const importWords: typeof english = {
  title: 'Importar publicações',
  open: 'Importar de CSV…',
  lead: (zone) =>
    `Cada linha vira um rascunho, que é aprovado como qualquer outro. Os horários são de ${zone}, a não ser que o arquivo diga outro fuso.`,
  columns:
    'Colunas, com estes nomes: time (horário), channel (nome ou id do canal), text (texto), media (um endereço) e notes (notas). Só channel e text são necessárias.',
  template: 'Baixar um modelo',
  templateName: 'publicacoes.csv',
  example: {
    text: 'O texto da publicação. Em uma planilha ele pode ter várias linhas.',
    channel: 'O nome de um canal',
  },
  choose: 'Escolher um arquivo…',
  tooLarge: 'O arquivo é grande demais: divida-o, com no máximo 500 linhas em cada parte.',
  whichDate: (text) => `Que data é ${text}? A resposta vale para o arquivo todo.`,
  lines: 'Linhas do arquivo',
  line: (many) => `Linha ${number(many)}`,
  summary: (lines, wrong) =>
    wrong === 0
      ? `${count(lines, 'linha pode ser importada', 'linhas podem ser importadas')}.`
      : `${count(wrong, 'linha')} de ${number(lines)} ${wrong === 1 ? 'tem' : 'têm'} um problema: ${wrong === 1 ? 'corrija-a ou deixe-a' : 'corrija-as ou deixe-as'} de fora.`,
  onlyWrong: 'Mostrar só as linhas com problema',
  correct: 'Corrigir',
  leaveOut: 'Deixar de fora',
  column: { time: 'Horário', channel: 'Canal', text: 'Texto', media: 'Imagem ou vídeo', notes: 'Notas' } as Record<
    ImportColumn,
    string
  >,
  done: 'Pronto',
  chooseChannel: 'Escolha um canal',
  import: (many) => `Importar ${count(many, 'rascunho')}`,
  imported: (many) => `${count(many, 'rascunho importado', 'rascunhos importados')}.`,
  toCalendar: 'Mostrar o calendário',
  another: 'Importar outro arquivo',
  permissionMissing: 'Você pode ver as publicações, mas não escrevê-las. Peça permissão a um administrador.',
  problem: (code, message, excess) =>
    excess === undefined
      ? (PROBLEMS[code] ?? message)
      : `O canal aceita no máximo ${postWords.editor.most(excess.what, excess.max)}: este texto tem ${number(excess.count)}.`,
}
