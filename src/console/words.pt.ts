import type { PostStatus } from '../interface/post-status.ts'
import { makeWording } from './wording.ts'
import type { common as english } from './words.ts'

const { locale, number, list } = makeWording({
  language: 'pt',
  separator: '.',
  separated: ['pt-BR'],
  separatedFrom: 1_000,
})

/** `1 publicação`, `2 publicações`. */
const count = (many: number, one: string, other = `${one}s`): string => `${number(many)} ${many === 1 ? one : other}`

const STATUSES: Record<PostStatus, string> = {
  DRAFT: 'Rascunho',
  WAITING_FOR_APPROVAL: 'Aguardando aprovação',
  REJECTED: 'Devolvida',
  SCHEDULED: 'Agendada',
  PUBLISHING: 'Sendo publicada',
  PUBLISHED: 'Publicada',
  FAILED: 'Falhou',
}

const FIELDS: Record<string, string> = {
  scheduledFor: 'horário',
  media: 'imagem ou vídeo',
  mediaType: 'imagem ou vídeo',
  altText: 'descrição da imagem',
  aiGenerated: 'aviso de IA',
  notes: 'notas',
  caption: 'texto',
  superpower: 'superpoder',
}

const ERRORS: Record<string, string> = {
  unreachable: 'Não é possível acessar o Greenroom. Verifique sua conexão; o que você digitou continua aqui.',
  post_changed: 'Esta publicação mudou desde que você a viu. Leia-a de novo antes de decidir.',
  precondition_required: 'Esta publicação ainda não foi lida. Espere um momento e tente de novo.',
  already_published:
    'Ela já está publicada em um canal; por isso a imagem ou o vídeo, o texto e o superpoder ficam como foram publicados lá.',
  post_not_found: 'Não existe essa publicação aqui: ela foi excluída ou pertence a outra organização.',
  database_unavailable: 'O Greenroom não consegue ler nem gravar seus dados agora. Ele tenta de novo sozinho.',
  stopping: 'O Greenroom está sendo reiniciado. Ele tenta de novo sozinho.',
  internal: 'Algo deu errado do nosso lado.',
  hashtag_conflict: 'Uma hashtag já está em uso. Escolha outra ou pare o superpoder da publicação que a usa.',
  channel_in_use:
    'Há publicações prestes a sair nesse canal. Primeiro volte-as para rascunho ou exclua-as, ou deixe que falhem.',
  media_refused: 'Este arquivo não é JPEG, PNG, MP4 nem QuickTime. Exporte-o em um desses formatos.',
  superpower_unknown: 'Este superpoder salvo não existe mais. Escolha outro ou escreva um.',
  platform_refused: 'A plataforma recusa o token de acesso. Conecte a conta com um novo.',
  platform_failed: 'A plataforma não respondeu como deveria. Tente de novo daqui a pouco.',
  platform_rate_limited: 'A plataforma não aceita mais chamadas por enquanto.',
  platform_timeout: 'A plataforma não respondeu a tempo. Tente de novo ou escolha um período mais curto.',
  ad_platform_not_connected: 'Esta conta de anúncios não tem token de acesso. Conecte-a primeiro.',
  window_too_heavy: 'Este período é longo demais para a plataforma. Escolha um mais curto.',
  window_too_old: 'A plataforma guarda os números por 37 meses. Escolha um período mais recente.',
  too_many_insights: 'Sua organização leu muitos resultados agora há pouco.',
}

export const common: typeof english = {
  locale,
  count,
  list,
  number,
  name: 'Greenroom',
  titleOf: (page, unread) => `${unread === 0 ? '' : `(${number(unread)}) `}${page} · Greenroom`,
  loading: 'Carregando…',
  hashtagInUse: (hashtag, channel) => `${hashtag} está em uso em ${channel} por`,
  loseTyped: 'O que você digitou não está salvo, e sair apaga tudo. Sair mesmo assim?',
  anotherPost: 'outra publicação',
  pressEnter: 'Pressione Enter para continuar.',
  tryAgain: 'Tentar de novo',
  undo: 'Desfazer',
  close: 'Fechar',
  cancel: 'Cancelar',
  save: 'Salvar',
  status: STATUSES,
  field: (name) => FIELDS[name] ?? name,
  error: (code, message) => ERRORS[code] ?? (message === '' ? 'Não funcionou. Tente de novo.' : message),
  requestId: (id) => `Informe ${id} ao relatar o problema.`,
  retryAfter: (seconds) => `Tente de novo em ${count(seconds, 'segundo')}.`,
  channelType: (type) => ({ FB_PAGE: 'Página do Facebook', INSTAGRAM_ACCOUNT: 'Conta do Instagram' })[type] ?? type,
  copy: 'Copiar',
  copied: 'Copiado.',
  copyYourself: 'O texto está selecionado: copie-o com o teclado.',
  haveIt: 'Já guardei',
  noLines: 'O arquivo não tem linhas abaixo da primeira.',
  readAs: (text, as) => `${text} foi lido como ${as}.`,
}
