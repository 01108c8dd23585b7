#!/bin/sh
# Makes an authority, and certificates by it for both ends of a connection on this machine:
#   sh certificates.sh DIRECTORY
# DIRECTORY/server is for the discovery service, DIRECTORY/client for Envoy; each holds tls.crt, tls.key and ca.crt.
set -eu
umask 077
mkdir -p "$1/server" "$1/client"
cd "$1"

new_key() { openssl ecparam -genkey -name prime256v1 -noout -out "$1"; }

new_key ca.key
openssl req -x509 -new -key ca.key -subj "/CN=Example CA" -days 30 -out ca.crt
for end in server client; do
  new_key "$end/tls.key"
  openssl req -new -key "$end/tls.key" -subj "/CN=$end" -out "$end/tls.csr"
  printf 'subjectAltName = DNS:localhost, IP:127.0.0.1\nextendedKeyUsage = serverAuth, clientAuth\n' > "$end/tls.ext"
  openssl x509 -req -in "$end/tls.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -extfile "$end/tls.ext" -out "$end/tls.crt"
  cp ca.crt "$end/ca.crt"
  rm "$end/tls.csr" "$end/tls.ext"
done
