import type { PostAction } from '../../interface/generated/types.ts'
import { common } from '../words.ts'
import type { postWords as englishPosts, superpowerWords as englishSuperpowers } from './words.ts'

const { count, list, number } = common

const ACTIONS: Record<PostAction, string> = {
  created: 'criou',
  updated: 'mudou',
  submitted: 'pediu aprovação',
  approved: 'aprovou',
  rejected: 'devolveu',
  reverted: 'voltou para rascunho',
  retried: 'agendou de novo',
  claimed: 'começou a publicar',
  waits: 'precisa esperar',
  published: 'publicou',
  failed: 'não conseguiu publicar',
  deleted: 'excluiu',
}

const ACTION_WORDS: Record<string, string> = {
  COMMENTED: 'comenta',
  LIKED: 'curte a publicação',
  SHARED: 'compartilha a publicação',
  MESSAGED: 'escreve uma mensagem',
}

const quote = (text: string): string => `“${text}”`

const FILE_KINDS: Record<string, string> = {
  'image/jpeg': 'imagem JPEG',
  'image/png': 'imagem PNG',
  'video/mp4': 'vídeo MP4',
  'video/quicktime': 'vídeo QuickTime',
}

const fileKind = (contentType: string): string => FILE_KINDS[contentType] ?? contentType

/** Thousands of bytes below a million. */
const fileSize = (bytes: number): string =>
  bytes < 100_000 ? `${number(Math.ceil(bytes / 1000))} kB` : `${number(Math.ceil(bytes / 100_000) / 10)} MB`

/** The units of which a channel takes only so many. */
const counted = (what: string): string =>
  ({ characters: 'caracteres', hashtags: 'hashtags', mentions: 'menções' })[what] ?? what

/** The acts that a superpower may have as its target. */
const targeted = (many: number, what: string): string =>
  count(many, { share: 'compartilhamento', like: 'curtida', comment: 'comentário' }[what] ?? what)

const FILE_TYPES: Record<string, string> = {
  'image/jpeg': 'JPEG',
  'image/png': 'PNG',
  'video/mp4': 'MP4',
  'video/quicktime': 'QuickTime',
}

export const postWords: typeof englishPosts = {
  action: ACTIONS,
  fileKind,
  fileSize,
  actor: (type, id) =>
    ({ operator: 'O operador', publisher: 'O publicador', key: `Chave ${id}`, user: 'Um membro' })[type] ?? type,
  deletedAccount: 'Uma conta excluída',
  tookBack: 'desfez a própria decisão',
  changedOn: (channel) => `texto ou superpoder em ${channel}`,
  overdue: 'Atrasada',
  noTime: 'Ainda sem horário',
  altText: 'Descrição da imagem',
  aiGenerated: 'Criado ou editado com IA',
  preview: {
    label: (name, type) => `Como aparecerá em ${name} (${type})`,
    noText: 'Ainda sem texto',
    noMedia: 'Ainda sem imagem ou vídeo',
    imageAlt: 'A imagem da publicação',
    imageFailed: 'Não é possível mostrar a imagem aqui',
    video: 'O vídeo da publicação',
    videoFailed: 'Não é possível reproduzir o vídeo aqui',
    more: { instagram: 'mais', facebook: 'Ver mais' },
    less: 'Mostrar como o feed a corta',
    gone: 'Este arquivo foi excluído da biblioteca: a publicação precisa de outro.',
    openMedia: 'Abrir em uma nova aba',
  },
  superpower: {
    title: (name) => (name === '' ? 'Superpoder' : `Superpoder: ${name}`),
    inactive: 'Está inativo.',
    hashtag: (hashtag) => `Sua hashtag é ${hashtag}.`,
    when: (conditions) => (conditions.length === 0 ? 'Sempre:' : `Quando alguém ${conditions.join(', ou ')}:`),
    condition: (action, values, logic) => {
      const does = ACTION_WORDS[action] ?? (action === '' ? 'reage' : `faz ${action}`)
      if (values.length === 0) return does
      const said = list(values.map(quote))
      return `${does} com ${logic === 'ANY_VALUE' ? 'algum de ' : ''}${said}`
    },
    publicReply: (text) => `responder em público${text === '' ? '' : `: ${quote(text)}`}`,
    privateReply: (text) => `enviar uma mensagem${text === '' ? '' : `: ${quote(text)}`}`,
    like: 'curtir o que escreveu',
    takesPart: 'incluir a pessoa no sorteio',
    timeLimit: (many, unit) =>
      `uma vez a cada ${unit === 'HOUR' ? count(many, 'hora') : count(many, unit.toLowerCase())} para cada pessoa`,
    target: (what, many) => `Meta: ${targeted(many, what)}.`,
    raffle: (winners, end) =>
      `Sorteio${winners === undefined ? '' : ` com ${count(winners, 'ganhador', 'ganhadores')}`}${end ? `, até ${end}` : ''}.`,
    usersLimit: (many) => `Para no máximo ${count(many, 'pessoa')}.`,
    expires: (time) => `Termina ${time}.`,
  },
  editor: {
    title: 'Publicação',
    titleOf: (name) => `Publicação: ${name}`,
    backTo: (page) => `Voltar: ${page}`,
    newTitle: 'Nova publicação',
    channels: 'Canais e texto',
    noChannels: 'Ainda não há nenhum canal: peça a um administrador que conecte um.',
    noChannel: 'Escolha um canal para ver como vai ficar.',
    notConnected: 'não conectado',
    caption: (channel) => `Texto em ${channel}`,
    count: (what, many, max) => `${number(many)} de ${number(max)} ${counted(what)}`,
    tooMuch: (limits) => `É demais para este canal: no máximo ${list(limits)}.`,
    copy: 'Usar em todos os canais',
    copied: 'O texto está em todos os canais.',
    superpower: (channel) => `Superpoder em ${channel}`,
    superpowerNone: 'Nenhum',
    superpowerNew: 'Escrever um…',
    superpowerEdit: 'Editar…',
    superpowerOwn: (name) => (name === '' ? 'Próprio' : `${name} (próprio)`),
    superpowerKept: (name) => (name === '' ? 'Sem mudança' : `Sem mudança: ${name}`),
    media: 'Imagem ou vídeo',
    mediaUrl: 'Endereço na web',
    mediaHint: 'As duas plataformas buscam o arquivo lá, por isso ele precisa ser público.',
    mediaNoUrl: 'Um endereço começa com https:// ou http://.',
    upload: 'Enviar um arquivo…',
    uploadHint: 'Ou solte-o aqui: uma imagem, ou um vídeo em MP4 ou QuickTime.',
    uploading: (name, part) => (part < 1 ? `${name}: ${Math.floor(part * 100)} %` : `${name}: sendo verificado…`),
    uploaded: (name) => `${name} foi enviado.`,
    mediaFacts: ({ contentType, bytes, width, height, durationMs }) =>
      list([
        fileKind(contentType),
        `${number(width)} × ${number(height)} pixels`,
        ...(durationMs === undefined ? [] : [count(Math.round(durationMs / 1000), 'segundo')]),
        fileSize(bytes),
      ]),
    mediaRefused: (channel, problems) => `${channel} só aceita ${list(problems)}.`,
    mediaProblem: (problem) => {
      switch (problem.what) {
        case 'type':
          return problem.types.map((type) => FILE_TYPES[type] ?? type).join(' ou ')
        case 'size':
          return `arquivos de no máximo ${number(problem.mibMax)} MiB`
        case 'ratio':
          return `uma largura de ${number(problem.min)} a ${number(problem.max)} vezes a altura (aqui são ${number(problem.is)} vezes)`
        case 'width':
          return `uma largura de no máximo ${number(problem.max)} pixels`
        case 'duration':
          return `vídeos de ${number(problem.minSeconds)} segundos a ${number(problem.maxMinutes)} minutos`
      }
    },
    mediaType: 'Tipo',
    image: 'Imagem',
    video: 'Vídeo',
    when: 'Quando',
    nextSlot: (time, channel) => `Próximo horário livre: ${time} em ${channel}`,
    crowded: (many) =>
      `${count(many, 'outra publicação sai', 'outras publicações saem')} no mesmo canal a menos de uma hora desta:`,
    time: 'Data e hora',
    timeZone: (zone) => `Em ${zone}`,
    timeThere: (time, zone) => `${time} em ${zone}`,
    timeUnreadable: 'Escreva uma data e uma hora.',
    timeNever: (zone) => `Esta hora não existe em ${zone}: o relógio é adiantado nesse momento. Escolha outra.`,
    timeTwice: 'Esta hora ocorre duas vezes, porque o relógio é atrasado nesse momento. Escolha uma.',
    timePast: 'Esta hora já passou. Escolha uma no futuro.',
    whichOne: 'Qual delas?',
    occurrence: (which, offset) => `${which === 'earlier' ? 'A primeira' : 'A segunda'} (UTC${offset})`,
    notes: 'Notas',
    notesHint: 'Para os seus colegas; nunca são publicadas.',
    preview: 'Prévia',
    saveDraft: 'Salvar como rascunho',
    saveAndAsk: 'Salvar e pedir aprovação',
    submit: 'Pedir aprovação',
    decide: 'Avaliar',
    revert: 'Voltar para rascunho',
    revertTitle: 'Voltar a publicação para rascunho?',
    toCalendar: 'Todas as publicações',
    revertText: 'Ela não será publicada até ser aprovada de novo.',
    reverted: 'Voltou para rascunho.',
    delete: 'Excluir',
    deleteTitle: 'Excluir a publicação?',
    deleteText: 'Isto não pode ser desfeito. O histórico fica.',
    deleted: 'Excluída.',
    saved: 'Salvo.',
    savedAndUnapproved: 'Salvo. O conteúdo mudou, por isso a publicação aguarda aprovação de novo.',
    submitted: 'Salvo e enviado para aprovação.',
    missing: (what) => `Antes de ser aprovada, ela precisa de ${what}.`,
    lacks: (what, isApproved) =>
      `Ela precisa de ${what} para poder ser salva.${isApproved ? ' Volte-a para rascunho para salvá-la sem isso.' : ''}`,
    conflictFirst: 'Decida primeiro de quem são as mudanças que ficam.',
    timeFirst: 'Corrija primeiro o horário.',
    mediaFirst: 'Escolha primeiro outra imagem ou outro vídeo.',
    shortenFirst: 'Encurte primeiro o texto.',
    nothingToSave: 'Nada mudou ainda.',
    missingChannel: 'um canal',
    missingText: 'um texto em cada canal',
    missingMedia: 'uma imagem ou um vídeo',
    missingTime: 'um horário no futuro',
    most: (what, max) => `${number(max)} ${counted(what)}`,
    permissionMissing: 'Você pode ver esta publicação, mas não mudá-la. Peça permissão a um administrador.',
    restored: 'Suas mudanças anteriores continuam aqui, ainda não salvas.',
    discard: 'Descartá-las',
    conflict: (who, what) =>
      `${who === '' ? 'Alguém' : who} mudou esta publicação enquanto você escrevia${what === '' ? '' : `: ${what}`}. Nada é sobrescrito até você dizer.`,
    keepMine: 'Manter as minhas mudanças',
    takeTheirs: 'Descartar as minhas mudanças',
    scheduledNote: 'Aprovada: será publicada no horário. Se você mudar o conteúdo, ela precisa ser aprovada de novo.',
    publishingNote: 'Está sendo publicada agora e não pode mais ser mudada.',
    publishedNote: 'Está publicada.',
    failedNote: 'Não pôde ser publicada em todos os canais.',
    seeIt: (channel) => `Ver em ${channel}`,
    retryTitle: 'Tentar de novo',
    retryTime: 'Nova data e hora',
    retry: 'Agendar de novo',
    retryNow: 'Tentar de novo agora',
    retryHint: 'Só os canais em que falhou são tentados de novo.',
    repairHint:
      'Ela ainda não saiu em nenhum canal, por isso você também pode mudá-la abaixo. Depois ela precisa ser aprovada de novo.',
    copyHint: 'Ela já saiu em um canal, por isso o conteúdo fica. Duplique-a para publicar outra coisa.',
    removeMedia: 'Remover a imagem ou o vídeo',
  },
}

export const superpowerWords: typeof englishSuperpowers = {
  title: 'Superpoder',
  closeTyped: 'O que você digitou ainda não está em uso. Fechar e perder isso?',
  titleOf: (name) => `Superpoder salvo: ${name}`,
  fields: {
    name: 'Nome',
    hashtag: 'Hashtag',
    active: 'Ativo',
    action: 'Quando alguém',
    values: 'Com uma destas palavras',
    publicReplies: 'Responder em público',
    privateReplies: 'Enviar uma mensagem',
    autoLike: 'Curtir o que escreveu',
    takesPart: 'Incluir a pessoa no sorteio',
    groupName: 'Nome do grupo',
    probability: 'Parte dos comentários, de 0 a 1',
    usersLimit: 'No máximo quantas pessoas',
    timeLimit: 'A mesma pessoa uma vez a cada quantas horas',
    privateDelay: 'Horas até a mensagem',
    publicDelay: 'Horas até a resposta pública',
    winners: 'Ganhadores do sorteio',
    raffleEnd: 'Fim do sorteio',
    winnersReply: 'Mensagem aos ganhadores',
    losersReply: 'Mensagem aos outros',
  },
  nameHint: 'Seus colegas o encontram por este nome quando está salvo.',
  hashtagHint: 'Em cada canal, uma hashtag pertence a uma publicação por vez.',
  always: 'faz qualquer coisa',
  actions: ACTION_WORDS,
  valuesHint: 'Uma por linha. Deixe vazio para quaisquer palavras.',
  repliesHint: 'Se houver várias, o comentário decide qual é enviada.',
  replyLabel: (label, place) => (place === 0 ? label : `${label} (${place + 1})`),
  addReply: 'Adicionar outro texto',
  removeReply: 'Remover',
  json: 'Editar como JSON',
  jsonHint: 'Use isto para o que o formulário não tem: mais condições, mídia, botões.',
  group: (place) => `Grupo ${place + 1}`,
  groupName: (place, name) => `Grupo ${place + 1}${name === '' ? '' : `: ${name}`}`,
  shownGroup: 'O grupo mostrado',
  addGroup: 'Adicionar um grupo',
  removeGroup: 'Remover este grupo',
  earlier: 'Mover para cima',
  later: 'Mover para baixo',
  limits: 'Limites e atrasos',
  shareHint: 'Vazio: todos. O próprio comentário decide quais, sempre do mesmo jeito.',
  noJson: (message) => `Este não é um JSON válido de superpoder${message === '' ? '' : `: ${message}`}.`,
  useHere: 'Usar nesta publicação',
  saveForAll: 'Salvar também para outras publicações',
  saveChanges: 'Salvar as mudanças',
  saved: (name) => `${name} foi salvo. As publicações que têm uma cópia ficam com a delas.`,
  deleteText: (name) => `Excluir ${name}? As publicações que têm uma cópia ficam com ela.`,
  deleted: (name) => `${name} foi excluído.`,
}
