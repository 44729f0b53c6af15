/* The token with which a page proves that its requests are its own. */

export function csrfToken() {
  const cookie = document.cookie.match(/(?:^|; )(?:csrftoken|__Host-csrf)=([^;]+)/);
  return cookie ? decodeURIComponent(cookie[1]) : document.querySelector("meta[name=csrf-token]").content;
}
