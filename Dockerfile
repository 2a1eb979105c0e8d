# An image in which the first command of README.md has run: docker build -t mass . && docker run --rm -it mass
FROM debian:12
COPY . /mass
WORKDIR /mass
RUN scripts/setup
RUN scripts/run life
CMD ["scripts/run", "life"]
