import './update-scheduled-post.test.js'
